package web_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A browser keeps cookies, follows redirects and reads pages as people do. It runs no
// scripts.
type browser struct {
	*site
	jar map[string]string
}

func (s *site) browser() *browser { return &browser{site: s, jar: map[string]string{}} }

// signedIn makes an account, and returns a browser with a session.
func (s *site) signedIn(name string) *browser {
	s.Helper()
	b := s.browser()
	b.jar["session"] = s.signUp(name)
	return b
}

// again returns another browser with a session of an account that exists.
func (s *site) again(name string) *browser {
	s.Helper()
	b := s.browser()
	b.jar["session"] = s.session(name)
	return b
}

func (b *browser) open(path string) page {
	b.Helper()
	return b.send("GET", path)
}

// send sends a request and follows redirects.
func (b *browser) send(method, path string, changes ...change) page {
	b.Helper()
	first, writes := 0, int64(0)
	for range 5 {
		address, _, _ := strings.Cut(path, "#") // a browser keeps the fragment for itself
		a := b.do(method, address, append(changes, b.cookies)...)
		b.keep(a)
		writes += a.writes
		if first == 0 {
			first = a.status
		}
		if a.status == http.StatusSeeOther {
			method, path, changes = "GET", a.header.Get("Location"), nil
			continue
		}
		a.writes = writes
		p := page{answer: a, b: b, path: path, first: first, doc: parseHTML(b, a)}
		p.mustBeDecent()
		return p
	}
	b.Fatalf("%s redirects too often", path)
	return page{}
}

func (b *browser) cookies(r *http.Request) {
	for name, value := range b.jar {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

func (b *browser) keep(a answer) {
	b.Helper()
	for _, line := range a.header.Values("Set-Cookie") {
		cookie, err := http.ParseSetCookie(line)
		ok(b, err)
		delete(b.jar, cookie.Name)
		if cookie.MaxAge >= 0 {
			b.jar[cookie.Name] = cookie.Value
		}
	}
}

func parseHTML(t testing.TB, a answer) *html.Node {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(a.body))
	ok(t, err)
	return doc
}

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
		if n.Data == "button" {
			b.WriteString(attr(n, "aria-label") + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
