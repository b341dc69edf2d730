package web_test

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

func tag(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == name }
}

func all(root *html.Node, match func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if match(n) {
			found = append(found, n)
		}
	}
	return found
}

func one(root *html.Node, match func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if match(n) {
			return n
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text returns all text under a node, unchanged.
func text(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// seen returns the text under a node as a reader sees it, on one line, with a space
// where a new line begins.
func seen(root *html.Node) string {
	if root == nil {
		return ""
	}
	var b strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "noscript":
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && !slices.Contains([]string{"a", "b", "bdi", "span", "time", "code"}, n.Data):
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
