package feed

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// titleOf is markup as one line. A name in angle brackets that is no element of
// HTML stays: titles speak of List<T>, and many feeds do not escape them.
func titleOf(markup string) string {
	w := &writer{space: collapse}
	convert(w, markup, true)
	return strings.Join(strings.Fields(string(w.out)), " ")
}

// textOf is markup as plain text: paragraphs apart, items of lists marked, the
// addresses of links behind their texts. Markup without any tag is taken for
// text that has lines.
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

// convert reads tokens, not a tree: it must not be troubled by elements that are
// never closed or nest a million deep.
func convert(w *writer, markup string, title bool) {
	z := html.NewTokenizer(strings.NewReader(markup))
	var hidden hiding
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			w.closeLink()
			return
		}
		// Raw is lost once the token is taken.
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

// hiding tracks an element whose content is not for readers.
type hiding struct {
	element atom.Atom
	depth   int
}

// skips tells whether the token is, or is within, a hidden element.
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

// opens tells whether content follows. HTML closes no element by a slash, only
// the foreign ones.
func opens(token html.Token) bool {
	return token.Type == html.StartTagToken ||
		token.Type == html.SelfClosingTagToken && token.DataAtom != atom.Svg
}

func isHidden(element atom.Atom) bool {
	switch element {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes,
		atom.Title, atom.Textarea, atom.Select, atom.Svg, atom.Object:
		return true
	}
	return false
}
