package feed

import (
	"net/url"
	"strings"
)

// webAddress returns s as an absolute http or https URL. It reports false if s is
// not one.
func webAddress(s string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	return encoded(u), true
}

// followable is webAddress for a link, which may lead to an address of mail too.
func followable(s string) (string, bool) {
	if u, err := url.Parse(strings.TrimSpace(s)); err == nil && u.Scheme == "mailto" && u.Opaque != "" {
		return encoded(u), true
	}
	return webAddress(s)
}

// encoded returns the URL without characters that could end it in Markdown.
func encoded(u *url.URL) string {
	return strings.NewReplacer(
		" ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "`", "%60", "(", "%28", ")", "%29",
	).Replace(u.String())
}
