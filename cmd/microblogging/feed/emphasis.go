package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// checkEmphasis leaves emphasis only where CommonMark has marks for it. Next to a letter, those of "**Note:**no space" are
// asterisks. The converter library heeds neither that, nor that adjacent marks become other marks, nor that a link may
// have lines.
func checkEmphasis(n *html.Node) {
	const marks = "*_~"
	fits := func(outside, inside rune) bool {
		return !strings.ContainsRune(marks, outside) && (!isLetter(outside) || isLetter(inside))
	}
	adjacent := false
	for previous := n.PrevSibling; previous != nil; previous = previous.LastChild {
		adjacent = adjacent || isEmphasis(previous)
	}
	text := strings.TrimSpace(dom.CollectText(n))
	broken := dom.ContainsNode(n, func(in *html.Node) bool {
		return in.DataAtom == atom.Br && (in.Parent.DataAtom == atom.A || strings.ContainsAny(text, marks))
	})
	if adjacent || broken || strings.Trim(text, marks) != text || !fits(neighbour(n, false), edge(n, false)) || !fits(neighbour(n, true), edge(n, true)) {
		toSpan(n)
	}
}

func isLetter(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) }

// neighbour returns the character before or after an element, as Markdown has it, but for the marks
// of emphasis.
func neighbour(n *html.Node, after bool) rune {
	for ; n.Parent != nil && !dom.NameIsBlockNode(n.Data); n = n.Parent {
		for next := sibling(n, after); next != nil; next = sibling(next, after) {
			if r := edge(next, !after); r != 0 {
				return r
			}
		}
		if n.Parent.DataAtom == atom.A {
			return ')'
		}
	}
	return '\n'
}

func sibling(n *html.Node, after bool) *html.Node {
	if after {
		return n.NextSibling
	}
	return n.PrevSibling
}

// edge returns the first or the last character of a node, as Markdown has it, or 0 if it is empty.
func edge(n *html.Node, last bool) rune {
	switch {
	case n.Type == html.TextNode && n.Data != "":
		r, _ := utf8.DecodeRuneInString(n.Data)
		if last {
			r, _ = utf8.DecodeLastRuneInString(n.Data)
		}
		return r
	case n.DataAtom == atom.Br || dom.NameIsBlockNode(n.Data):
		return '\n'
	case isCode(n):
		return '`'
	case n.DataAtom == atom.A || n.DataAtom == atom.Img:
		return ']'
	}
	child := n.FirstChild
	if last {
		child = n.LastChild
	}
	for ; child != nil; child = sibling(child, !last) {
		if r := edge(child, last); r != 0 {
			return r
		}
	}
	return 0
}
