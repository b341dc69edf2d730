package feed

import (
	"slices"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"microblogging/domain"
)

const (
	// maxDepth bounds how deep elements nest, because each level of a list indents its lines.
	maxDepth = 60
	// maxVisible is how many characters of text are enough, whatever becomes of them: a
	// longer text is cut.
	maxVisible = 4 * domain.MaxText
	// maxMarkup bounds the bytes of markup that are parsed.
	maxMarkup = 1 << 20
)

// A cleaner leaves in a tree what a reader sees.
type cleaner struct {
	visible int
	cut     bool
}

// clean returns the tree of markup, without what no reader sees. It reports true if that is only
// the beginning. Markup without a tag keeps its lines. The parser refuses elements that nest
// hundreds deep.
func clean(markup string) (tree *html.Node, cut bool, err error) {
	c := &cleaner{}
	if len(markup) > maxMarkup {
		markup, c.cut = strings.ToValidUTF8(markup[:maxMarkup], ""), true
	}
	if !hasTag(markup) {
		markup = strings.ReplaceAll(markup, "\n", "<br>")
	}
	if tree, err = html.Parse(strings.NewReader(markup)); err == nil {
		c.children(tree, 0)
	}
	return tree, c.cut, err
}

func hasTag(markup string) bool {
	z := html.NewTokenizer(strings.NewReader(markup))
	kind := z.Next()
	for kind == html.TextToken {
		kind = z.Next()
	}
	return kind != html.ErrorToken
}

// children cleans what is below a node.
func (c *cleaner) children(n *html.Node, depth int) {
	for _, child := range dom.AllChildNodes(n) {
		if c.visible == maxVisible || isHidden(child.DataAtom) {
			c.cut = c.cut || c.visible == maxVisible
			n.RemoveChild(child)
			continue
		}
		if child.Type == html.TextNode {
			child.Data = c.see(child.Data)
		}
		c.element(child)
		if depth > maxDepth && child.Type == html.ElementNode {
			toSpan(child)
		}
		c.children(child, depth+1)
	}
}

// see returns text as a reader sees it, as far as there is room for it.
func (c *cleaner) see(text string) string {
	seen := []rune(visible(text))
	if room := maxVisible - c.visible; len(seen) > room {
		seen, c.cut = seen[:room], true
	}
	c.visible += len(seen)
	return string(seen)
}

// visible drops control characters, and makes newlines of the separators of lines.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u2029':
			return '\u2028'
		case r == '\u0085':
			return ' '
		case unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r':
			return -1
		}
		return r
	}, s)
}

// element makes of an element what Markdown has in its place: of a table, lines of cells.
func (c *cleaner) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Img:
		c.image(n)
	case atom.A:
		if address, ok := followable(dom.GetAttributeOr(n, "href", "")); ok {
			n.Attr = []html.Attribute{{Key: "href", Val: address}}
		} else {
			toSpan(n)
		}
	case atom.Tr:
		n.AppendChild(&html.Node{Type: html.ElementNode, DataAtom: atom.Br, Data: "br"})
	case atom.Td, atom.Th:
		if dom.PrevSiblingElement(n) != nil {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " | "}, n)
		}
	}
}

// toSpan leaves nothing of an element but what is in it.
func toSpan(n *html.Node) { n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil }

// image leaves an image that a reader could open, or else what it shows. It leaves out the
// dots that count readers.
func (c *cleaner) image(n *html.Node) {
	shows := c.see(dom.GetAttributeOr(n, "alt", ""))
	address, ok := webAddress(dom.GetAttributeOr(n, "src", ""))
	switch {
	case dom.GetAttributeOr(n, "width", "") == "1" || dom.GetAttributeOr(n, "height", "") == "1":
		toSpan(n)
	case ok:
		n.Attr = []html.Attribute{{Key: "src", Val: address}, {Key: "alt", Val: shows}}
	default:
		toSpan(n)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: shows})
	}
}

// isHidden reports whether the content of an element is not text for readers.
func isHidden(element atom.Atom) bool {
	return slices.Contains([]atom.Atom{
		atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes,
		atom.Title, atom.Textarea, atom.Select, atom.Svg, atom.Object,
	}, element)
}
