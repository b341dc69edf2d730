package feed

import (
	"net/url"
	"strings"
)

// A link is an open anchor. HTML does not nest them.
type link struct {
	// address is empty if there is no link, or none that adds anything.
	address string
	// from is where its text starts in the output; -1 as long as there is none.
	from int
}

// closeLink puts the address behind the text; if the text is but another way to
// write the address, in its place.
func (w *writer) closeLink() {
	open := w.link
	w.link = link{}
	switch {
	case open.address == "":
	case open.from < 0:
		w.word(open.address)
	case spells(string(w.out[open.from:]), open.address):
		w.out = append(w.out[:open.from], open.address...)
	case !strings.Contains(string(w.out[open.from:]), open.address):
		// Owed white space stays owed until after the address.
		w.out = append(w.out, " ("+open.address+")"...)
	}
}

// webAddress is s as an absolute http or https URL.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	return u.String(), true
}

// spells tells whether a link's text is its address, as people abbreviate it:
// without the scheme, or with an ellipsis for the end.
func spells(text, address string) bool {
	bare := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	text, address = bare(text), bare(address)
	if start, short := strings.CutSuffix(text, ellipsis); short && strings.Contains(start, ".") {
		return strings.HasPrefix(address, start)
	}
	return text == address
}
