package feed

import (
	"net/url"
	"strings"
)

// A link is an open anchor. HTML does not nest anchors.
type link struct {
	// address is empty if no anchor is open, or if its address is not a web
	// address.
	address string
	// from is where the text of the anchor starts in the output. It is -1 before
	// there is any.
	from int
}

// closeLink writes the address after the text of the link. If the text only
// abbreviates the address, the address replaces the text.
func (w *writer) closeLink() {
	open := w.link
	w.link = link{}
	switch {
	case open.address == "":
	case open.from < 0:
		w.word(open.address)
	case abbreviates(string(w.out[open.from:]), open.address):
		w.out = append(w.out[:open.from], open.address...)
	case !strings.Contains(string(w.out[open.from:]), open.address):
		// Owed white space stays owed until after the address.
		w.out = append(w.out, " ("+open.address+")"...)
	}
}

// webAddress returns s as an absolute http or https URL. It reports false if s is
// not one.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	return u.String(), true
}

// abbreviates tells whether the text of a link is its address, possibly without
// the scheme, or with an ellipsis in place of its end.
func abbreviates(text, address string) bool {
	bare := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	text, address = bare(text), bare(address)
	if start, short := strings.CutSuffix(text, "…"); short && strings.Contains(start, ".") {
		return strings.HasPrefix(address, start)
	}
	return text == address
}
