package feed

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// How a writer treats white space.
const (
	// collapse makes one space of each run of white space, as HTML does.
	collapse = iota
	// keepLines does so within each line, and keeps the lines.
	keepLines
	// keepAll keeps all white space, for preformatted text.
	keepAll
)

// maxDepth bounds how far nested lists and quotations are indented, so that
// the text does not grow with the depth of the markup.
const maxDepth = 6

// A writer lays out text. It owes white space until a visible character follows,
// so that none is doubled, and none is left at the start or the end.
type writer struct {
	out []byte
	// space is how white space is treated outside preformatted text.
	space int
	// breaks is the number of newlines owed, at most 2, which is a blank line.
	breaks int
	// blanks are the spaces owed within a line.
	blanks []byte
	// marker is the mark of a list item that has no text yet.
	marker string
	// lists are the open lists. quotes and pre count the open elements.
	lists  []list
	quotes int
	pre    int
	link   link
}

// A list is an open ul or ol.
type list struct {
	ordered bool
	items   int
}

// start writes what an opening tag means.
func (w *writer) start(token html.Token) {
	w.breakLine(breaksAround(token.DataAtom))
	switch token.DataAtom {
	case atom.Br:
		w.newline()
	case atom.Pre:
		w.pre++
	case atom.Blockquote:
		w.quotes++
	case atom.Ul, atom.Ol:
		w.openList(token.DataAtom == atom.Ol)
	case atom.Li:
		w.openItem()
	case atom.Td, atom.Th:
		w.cell()
	case atom.A:
		w.closeLink()
		if address, ok := webAddress(attribute(token, "href")); ok {
			w.link = link{address: address, from: -1}
		}
	case atom.Img:
		w.text(attribute(token, "alt"))
	}
}

// end writes what a closing tag means.
func (w *writer) end(element atom.Atom) {
	if element == atom.A {
		w.closeLink()
	}
	w.breakLine(breaksAround(element))
	switch element {
	case atom.Pre:
		w.pre = max(0, w.pre-1)
	case atom.Blockquote:
		w.quotes = max(0, w.quotes-1)
	case atom.Li:
		w.marker = ""
	case atom.Ul, atom.Ol:
		w.lists = w.lists[:max(0, len(w.lists)-1)]
		if len(w.lists) == 0 {
			w.breakLine(2)
		}
	}
}

// breaksAround returns how many newlines separate an element from the text around
// it.
func breaksAround(element atom.Atom) int {
	switch element {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Dl,
		atom.Table, atom.Figure, atom.Hr, atom.Article, atom.Section, atom.Aside, atom.Details, atom.Fieldset:
		return 2
	case atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Figcaption, atom.Caption, atom.Summary,
		atom.Address, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Form, atom.Center, atom.Body, atom.Legend,
		atom.Video, atom.Audio:
		return 1
	}
	return 0
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (w *writer) openList(ordered bool) {
	if len(w.lists) == 0 {
		w.breakLine(2)
	}
	w.lists = append(w.lists, list{ordered: ordered})
}

func (w *writer) openItem() {
	w.marker = "• "
	if len(w.lists) == 0 {
		return
	}
	current := &w.lists[len(w.lists)-1]
	current.items++
	if current.ordered {
		w.marker = strconv.Itoa(current.items) + ". "
	}
}

// text writes a text node.
func (w *writer) text(s string) {
	for _, r := range s {
		switch {
		case r == '\n' && w.keeps() != collapse, r == '\u2028', r == '\u2029':
			w.newline()
		case unicode.IsSpace(r):
			w.blank(r)
		case unicode.IsControl(r):
		default:
			w.writeOwedSpace()
			w.out = utf8.AppendRune(w.out, r)
		}
	}
}

// word writes text without white space.
func (w *writer) word(s string) {
	w.writeOwedSpace()
	w.out = append(w.out, s...)
}

// keeps returns how white space is treated at this place.
func (w *writer) keeps() int {
	if w.pre > 0 {
		return keepAll
	}
	return w.space
}

// blank makes w owe a space. The first of a run decides which: a no-break or an
// ideographic space stays what it is.
func (w *writer) blank(r rune) {
	verbatim := w.keeps() == keepAll && !unicode.IsControl(r) || r == '	' && w.keeps() == keepAll
	switch {
	case verbatim:
		w.blanks = utf8.AppendRune(w.blanks, r)
	case len(w.blanks) > 0 || w.atLineStart():
	case unicode.IsControl(r):
		w.blanks = append(w.blanks, ' ')
	default:
		w.blanks = utf8.AppendRune(w.blanks, r)
	}
}

func (w *writer) atLineStart() bool { return len(w.out) == 0 || w.breaks > 0 }

// cell makes w owe a tab before each cell of a table row except the first.
func (w *writer) cell() {
	if !w.atLineStart() {
		w.blanks = append(w.blanks[:0], '	')
	}
}

// breakLine makes w owe at least n newlines.
func (w *writer) breakLine(n int) {
	if n > 0 {
		w.breaks = max(w.breaks, n)
		w.blanks = w.blanks[:0]
	}
}

// newline makes w owe one more newline, up to a blank line.
func (w *writer) newline() {
	w.breaks = min(w.breaks+1, 2)
	w.blanks = w.blanks[:0]
}

// writeOwedSpace writes the owed white space and, at the start of a line, the
// prefix.
func (w *writer) writeOwedSpace() {
	if w.atLineStart() {
		if len(w.out) > 0 {
			w.out = append(w.out, "\n\n"[:w.breaks]...)
		}
		w.out = append(w.out, w.prefix()...)
	}
	w.out = append(w.out, w.blanks...)
	w.breaks, w.blanks, w.marker = 0, w.blanks[:0], ""
	if w.link.from < 0 {
		w.link.from = len(w.out)
	}
}

// prefix returns the start of a line: quotation marks as in an e-mail, and the
// indentation and the mark of a list item.
func (w *writer) prefix() string {
	prefix := strings.Repeat("> ", min(w.quotes, maxDepth))
	depth := min(len(w.lists), maxDepth)
	if w.marker != "" {
		return prefix + strings.Repeat("  ", max(0, depth-1)) + w.marker
	}
	return prefix + strings.Repeat("  ", depth)
}
