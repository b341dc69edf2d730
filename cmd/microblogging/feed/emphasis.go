package feed

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The elements that become marks around their texts.
var (
	emphases  = []atom.Atom{atom.B, atom.Strong, atom.I, atom.Em}
	deletions = []atom.Atom{atom.Del, atom.S, atom.Strike}
)

// trimEmphasis moves marks and spaces out of an emphasised element that has a letter beside it, because CommonMark
// reads the ** in "**Note:**no space" as asterisks, and those in "**Note**:no space" as emphasis. The converter
// library does not heed that. If nothing is left, or something else than text is at an end, there is no emphasis;
// neither is there right after another element of emphasis, of which the library makes one with this.
func trimEmphasis(n *html.Node) {
	const marks = "*_~"
	text := strings.TrimSpace(dom.CollectText(n))
	inSame := dom.FindFirstNode(n, func(in *html.Node) bool { return in != n && in.DataAtom == n.DataAtom }) != nil
	longLink := dom.FindFirstNode(n, func(in *html.Node) bool { return in.DataAtom == atom.Br && in.Parent.DataAtom == atom.A }) != nil
	if strings.ContainsRune(marks, beside(n, false)) || strings.ContainsRune(marks, beside(n, true)) || inSame || longLink || strings.Trim(text, marks) != text || isEmphasis(n.PrevSibling) && n.PrevSibling.DataAtom != n.DataAtom { // other marks would join those of the element
		toSpan(n)
		return
	}
	if !isLetter(beside(n, false)) && !isLetter(beside(n, true)) {
		return
	}
	for _, last := range []bool{false, true} {
		moved := textNode("")
		joins := isLetter(beside(n, last))
		for trimming := true; trimming; {
			leaf, others := n, false // the marks of deletions and of emphasis are not one
			for leaf.LastChild != nil && leaf.DataAtom != atom.A && !isCode(leaf) {
				if leaf = leaf.FirstChild; last {
					leaf = leaf.Parent.LastChild
				}
				others = others || isEmphasis(leaf) && isDeletion(leaf) != isDeletion(n)
			}
			switch {
			case leaf.DataAtom == atom.A && (!joins || !isDeletion(n) && n.FirstChild == n.LastChild): // the library puts the marks into the link
				trimming = false
			case others && joins:
				toSpan(n)
				trimming = false
			case leaf == n, leaf.Type == html.ElementNode && leaf.DataAtom != atom.Span && leaf.DataAtom != atom.Br:
				toSpan(n)
				trimming = false
			case leaf.DataAtom == atom.Br:
				leaf.Type, leaf.DataAtom, leaf.Data = html.TextNode, 0, "\u2028" // which becomes a newline
			case leaf.Data == "" || leaf.Type != html.TextNode:
				leaf.Parent.RemoveChild(leaf)
			default:
				trimming = trimText(leaf, moved, last)
			}
		}
		if strings.ContainsAny(moved.Data, marks) {
			toSpan(n)
		}
		switch {
		case moved.Data == "":
		case last:
			n.Parent.InsertBefore(moved, n.NextSibling)
		default:
			n.Parent.InsertBefore(moved, n)
		}
	}
}

// trimText moves a character that is not a letter from the end of a text to another. It reports false if there is a letter.
func trimText(from, to *html.Node, last bool) bool {
	if last {
		r, size := utf8.DecodeLastRuneInString(from.Data)
		if isLetter(r) {
			return false
		}
		at := len(from.Data) - size
		from.Data, to.Data = from.Data[:at], from.Data[at:]+to.Data
		return true
	}
	r, size := utf8.DecodeRuneInString(from.Data)
	if isLetter(r) {
		return false
	}
	from.Data, to.Data = from.Data[size:], to.Data+from.Data[:size]
	return true
}

func isDeletion(n *html.Node) bool { return slices.Contains(deletions, n.DataAtom) }

func isEmphasis(n *html.Node) bool {
	return n != nil && (isDeletion(n) || slices.Contains(emphases, n.DataAtom))
}

func isCode(n *html.Node) bool {
	return slices.Contains([]atom.Atom{atom.Code, atom.Kbd, atom.Samp, atom.Tt, atom.Var}, n.DataAtom)
}

func isLetter(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) }

// beside returns the character before or after an element, as Markdown has it, but for the marks of emphasis.
func beside(n *html.Node, after bool) rune {
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
