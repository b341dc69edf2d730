package feed

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// escapePattern finds what is an escape although its percent sign is escaped.
var escapePattern = regexp.MustCompile(`%25([0-9A-Fa-f]{2})`)

var withoutBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// parseURL parses an address as browsers do. It returns nil for what is none.
func parseURL(s string) *url.URL {
	s = withoutBreaks.Replace(strings.TrimSpace(s))
	u, err := url.Parse(s)
	if err != nil && strings.Contains(s, "%") { // some of which escape nothing
		u, err = url.Parse(escapePattern.ReplaceAllString(strings.ReplaceAll(s, "%", "%25"), "%$1"))
	}
	if err != nil {
		return nil
	}
	return u
}

// hasScheme reports whether s is a URI, and not relative.
func hasScheme(s string) bool {
	u := parseURL(s)
	return u != nil && u.Scheme != ""
}

// resolve returns an address in the scope of a base, which may be empty.
func resolve(base, address string) string {
	b, u := parseURL(base), parseURL(address)
	if address = strings.TrimSpace(address); address == "" || base == "" || b == nil || u == nil {
		return address
	}
	return b.ResolveReference(u).String()
}

// webAddress returns s as an absolute http or https URL. The base, if it is not nil, resolves a
// relative one. It reports false if s is no such URL.
func webAddress(base *url.URL, s string) (string, bool) {
	u := parseURL(s)
	switch {
	case u == nil || strings.TrimSpace(s) == "":
		return "", false
	case u.Scheme == "" && u.Host != "":
		u.Scheme = "https"
	case base != nil:
		u = base.ResolveReference(u)
	}
	if u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	return inMarkdown.Replace(u.String()), true
}

// followable is webAddress for a link, which may lead to an address of mail too.
func followable(base *url.URL, s string) (string, bool) {
	if u := parseURL(s); u != nil && u.Scheme == "mailto" && u.Opaque != "" {
		return inMarkdown.Replace(u.String()), true
	}
	return webAddress(base, s)
}

// setBase makes the link of an entry absolute, and sets what the relative addresses in its texts
// are relative to: what the file says, or the link, or that of the feed.
func (e *Entry) setBase(link string) {
	own, _ := webAddress(nil, resolve(link, e.Link))
	id, _ := webAddress(nil, strings.TrimPrefix(e.name, "id:"))
	e.Link = cmp.Or(own, id)
	bases := []string{resolve(link, e.base), e.Link, link}
	e.base = bases[max(0, slices.IndexFunc(bases, hasScheme))]
}

// inMarkdown escapes the characters of a URL that could end it in Markdown.
var inMarkdown = strings.NewReplacer(
	" ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "`", "%60", "(", "%28", ")", "%29",
	"[", "%5B", "]", "%5D", // so does the converter library
)
