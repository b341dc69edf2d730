package feed

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// titleOf returns markup as one line. It keeps a tag that is not an element of
// HTML, because titles contain names like List<T>, which many feeds do not escape.
func titleOf(markup string) string {
	w := &writer{space: collapse}
	convert(w, markup, true)
	return strings.Join(strings.Fields(string(w.out)), " ")
}

// textOf returns markup as plain text. Blank lines separate paragraphs, list items
// are marked, and the address of a link follows its text. If markup has no tag,
// its lines are kept.
func textOf(markup string) string {
	w := &writer{space: collapse}
	if !hasTag(markup) {
		w.space = keepLines
	}
	convert(w, markup, false)
	return string(w.out)
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

// convert writes markup to w. It reads tokens and builds no tree, so that elements
// which are never closed or nest a million deep do no harm.
func convert(w *writer, markup string, title bool) {
	z := html.NewTokenizer(strings.NewReader(markup))
	var hidden hiding
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			w.closeLink()
			return
		}
		// Token overwrites what Raw returns.
		raw := string(z.Raw())
		token := z.Token()
		isTag := kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken
		switch {
		case hidden.skips(token):
		case kind == html.TextToken:
			w.text(token.Data)
		case isTag && token.DataAtom == 0 && title:
			w.text(raw)
		case kind == html.EndTagToken:
			w.end(token.DataAtom)
		case isTag && !(title && token.DataAtom == atom.A):
			w.start(token)
		}
	}
}

// hiding tracks an element whose content is not text for readers.
type hiding struct {
	element atom.Atom
	depth   int
}

// skips tells whether the token belongs to a hidden element.
func (h *hiding) skips(token html.Token) bool {
	if h.depth == 0 {
		if opens(token) && isHidden(token.DataAtom) {
			h.element, h.depth = token.DataAtom, 1
			return true
		}
		return false
	}
	if token.DataAtom == h.element {
		switch {
		case opens(token):
			h.depth++
		case token.Type == html.EndTagToken:
			h.depth--
		}
	}
	return true
}

// opens tells whether the token opens an element. In HTML, the slash of a
// self-closing tag has a meaning only in foreign elements, such as svg.
func opens(token html.Token) bool {
	return token.Type == html.StartTagToken ||
		token.Type == html.SelfClosingTagToken && token.DataAtom != atom.Svg
}

// isHidden tells whether the content of an element is not text for readers.
func isHidden(element atom.Atom) bool {
	switch element {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes,
		atom.Title, atom.Textarea, atom.Select, atom.Svg, atom.Object:
		return true
	}
	return false
}
