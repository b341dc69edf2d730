package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// checkEmphasis leaves emphasis only where CommonMark has marks for it. Next to a letter, those of
// "**Note:**no space" are asterisks, so what is no letter moves out of the ends of the element:
// "**Note**:no space". The converter library heeds neither that, nor that adjacent marks become
// other marks, nor that a link may have lines.
func checkEmphasis(n *html.Node) {
	const marks = "*_~"
	before, after := neighbour(n, false), neighbour(n, true)
	joins := isLetter(before) || isLetter(after)
	if joins {
		trimEnd(n, false)
		trimEnd(n, true)
	}
	text := strings.TrimSpace(dom.CollectText(n))
	up := n
	for up.PrevSibling == nil && up.Parent != nil && (isEmphasis(up.Parent) || up.Parent.DataAtom == atom.Span) {
		up = up.Parent
	}
	adjacent := false // but for one of the same kind, of which the library makes one with this
	for previous := up.PrevSibling; previous != nil; previous = previous.LastChild {
		adjacent = adjacent || isEmphasis(previous) && (previous != n.PrevSibling || previous.DataAtom != n.DataAtom)
	}
	within := dom.FindFirstNode(n, func(in *html.Node) bool {
		return in != n && (in.DataAtom == n.DataAtom || joins && isDeletion(in) != isDeletion(n) && isEmphasis(in)) ||
			in.DataAtom == atom.Br && (in.Parent.DataAtom == atom.A || strings.ContainsAny(text, marks))
	})
	if isLetter(before) && !isLetter(edge(n, false)) || isLetter(after) && !isLetter(edge(n, true)) || within != nil ||
		strings.Trim(text, marks) != text || strings.ContainsRune(marks, neighbour(n, false)) || strings.ContainsRune(marks, neighbour(n, true)) ||
		adjacent {
		toSpan(n)
	}
}

// trimEnd moves what is no letter out of an end of an element, if there is text.
func trimEnd(n *html.Node, last bool) {
	end, next := n.FirstChild, n
	if last {
		end, next = n.LastChild, n.NextSibling
	}
	if end == nil || end.Type != html.TextNode {
		return
	}
	rest := strings.TrimLeftFunc(end.Data, func(r rune) bool { return !isLetter(r) })
	moved := strings.TrimSuffix(end.Data, rest)
	if last {
		rest = strings.TrimRightFunc(end.Data, func(r rune) bool { return !isLetter(r) })
		moved = strings.TrimPrefix(end.Data, rest)
	}
	if end.Data = rest; moved != "" {
		n.Parent.InsertBefore(textNode(moved), next)
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
