package feed

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"microblogging/domain"
)

const (
	// maxDepth bounds how deep elements nest. A parser that builds a tree needs a bound.
	maxDepth = 60
	// maxVisible is how many characters of text are enough, whatever becomes of them: a
	// longer text is cut.
	maxVisible = 4 * domain.MaxText
	// maxCleaned bounds the bytes of markup that are converted.
	maxCleaned = 1 << 20
)

// A cleaner writes markup of a few elements, which is small and shallow. It reads tokens
// and builds no tree, so that elements which are never closed or nest a million deep do no
// harm.
type cleaner struct {
	out strings.Builder
	// lines says that newlines are kept.
	lines   bool
	depth   int
	visible int
	// cells are the cells of a table's row so far.
	cells int
}

// clean returns markup without what no reader sees, and with elements that Markdown has.
// It reports true if that is only the beginning.
func clean(markup string) (cleaned string, cut bool) {
	markup = strings.TrimPrefix(markup, plainMark)
	c := &cleaner{lines: !hasTag(markup)}
	z := html.NewTokenizer(strings.NewReader(markup))
	var hidden hiding
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch {
		case hidden.skips(token):
		case kind == html.TextToken:
			c.text(token.Data)
		case kind == html.EndTagToken:
			c.end(token.DataAtom)
		case isTag(kind):
			c.start(token)
		}
		if c.visible > maxVisible || c.out.Len() > maxCleaned {
			return c.out.String(), true
		}
	}
	return c.out.String(), false
}

func isTag(kind html.TokenType) bool {
	return kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken
}

func hasTag(markup string) bool {
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.TextToken:
		default:
			return true
		}
	}
}

// text writes text, with a break for each newline that is kept.
func (c *cleaner) text(s string) {
	s = visible(s)
	c.visible += len([]rune(s))
	s = html.EscapeString(s)
	if c.lines {
		s = strings.ReplaceAll(s, "\n", "<br>")
	}
	c.out.WriteString(strings.ReplaceAll(s, "\u2028", "<br>"))
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

// start writes what an opening tag means.
func (c *cleaner) start(token html.Token) {
	switch token.DataAtom {
	case atom.Br, atom.Hr:
		c.out.WriteString("<" + token.Data + ">")
	case atom.Img:
		c.image(token)
	case atom.Td, atom.Th:
		if c.cells++; c.cells > 1 {
			c.out.WriteString(" | ")
		}
	case atom.Tr:
		c.cells = 0
	case atom.A:
		if address, ok := followable(attribute(token, "href")); ok {
			fmt.Fprintf(&c.out, `<a href="%s">`, html.EscapeString(address))
		}
	default:
		name := nameOf(token.DataAtom)
		if name == "" {
			return
		}
		if nests(name) {
			if c.depth++; c.depth > maxDepth {
				return
			}
		}
		c.out.WriteString("<" + name + ">")
	}
}

// end writes what a closing tag means.
func (c *cleaner) end(element atom.Atom) {
	switch element {
	case atom.A:
		c.out.WriteString("</a>")
		return
	case atom.Tr:
		c.out.WriteString("<br>")
		return
	}
	name := nameOf(element)
	if name == "" {
		return
	}
	if nests(name) {
		c.depth = max(0, c.depth-1)
		if c.depth >= maxDepth {
			return
		}
	}
	c.out.WriteString("</" + name + ">")
}

// image writes an image that a reader could open, or else what it shows. It leaves out the
// dots that count readers.
func (c *cleaner) image(token html.Token) {
	shows := visible(attribute(token, "alt"))
	c.visible += len([]rune(shows))
	address, ok := webAddress(attribute(token, "src"))
	switch {
	case attribute(token, "width") == "1" || attribute(token, "height") == "1":
	case ok:
		fmt.Fprintf(&c.out, `<img src="%s" alt="%s">`, html.EscapeString(address), html.EscapeString(shows))
	default:
		c.out.WriteString(html.EscapeString(shows))
	}
}

// nests tells whether an element can be in itself: if such elements are not closed, each is
// deeper than the last.
func nests(name string) bool { return name != "p" && name != "li" }

// nameOf returns the element in whose place Markdown has something, or "".
func nameOf(element atom.Atom) string {
	switch element {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre,
		atom.Ul, atom.Ol, atom.Li, atom.Code, atom.Strong, atom.Em, atom.Del:
		return element.String()
	case atom.B:
		return "strong"
	case atom.I:
		return "em"
	case atom.S, atom.Strike:
		return "del"
	case atom.Kbd, atom.Samp, atom.Tt:
		return "code"
	}
	if isBlock(element) {
		return "div"
	}
	return ""
}

// isBlock tells whether an element is apart from the text around it.
func isBlock(element atom.Atom) bool {
	switch element {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Dl,
		atom.Table, atom.Figure, atom.Hr, atom.Article, atom.Section, atom.Aside, atom.Details, atom.Fieldset,
		atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Figcaption, atom.Caption, atom.Summary,
		atom.Address, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Form, atom.Center, atom.Body, atom.Legend,
		atom.Video, atom.Audio:
		return true
	}
	return false
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
