package domain

import (
	"strings"
	"unicode"
)

// Limits on what an operator says of the site, in characters.
const (
	MaxSiteName  = 60
	MaxContact   = 200
	MaxSiteAbout = 100_000
)

// ParseSiteName checks the name of a site: one line of 1 to 60 characters that a reader can see. It drops the
// spaces around it. The error is an InvalidError on the field "site-name".
func ParseSiteName(s string) (string, error) { return parseVisibleLine("site-name", s, MaxSiteName) }

// ParseContact checks a text that says whom to ask, such as "the desk, desk@club.example": one line of 1 to 200
// characters that a reader can see. It drops the spaces around it. The error is an InvalidError on the field "contact".
func ParseContact(s string) (string, error) { return parseVisibleLine("contact", s, MaxContact) }

// ParseSiteAbout checks the text about a site: 1 to 100,000 characters, not blank. It keeps newlines and tabs; CRLF
// and CR become LF, and a byte order mark at the start is dropped. The error is an InvalidError on the field "site-about".
func ParseSiteAbout(s string) (string, error) {
	s = normalizeNewlines(strings.TrimPrefix(s, "\ufeff"))
	if err := checkText("site-about", s, 1, MaxSiteAbout, "\n\t"); err != nil {
		return "", err
	}
	return s, nil
}

// parseVisibleLine refuses a character that would hide in a line, or change how the text around it is read.
func parseVisibleLine(field, s string, high int) (string, error) {
	s = strings.Trim(s, " ")
	if err := checkText(field, s, 1, high, ""); err != nil {
		return "", err
	}
	for _, r := range s {
		if !isVisible(r) && !unicode.Is(unicode.Zs, r) {
			return "", Invalid(field, "must not hold the invisible character %U", r)
		}
	}
	return s, nil
}
