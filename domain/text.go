package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on the length of texts and passwords, in code points. Texts are counted
// as they are stored.
const (
	MaxTitle       = 120
	MaxText        = 5000
	MaxDescription = 500
	MinPassword    = 10
	MaxPassword    = 256
)

// ParseTitle checks a post's title: one line of at most 120 characters, or
// nothing. It drops the spaces around it. The error is an InvalidError on the
// field "title".
func ParseTitle(s string) (string, error) {
	s = strings.Trim(s, " ")
	if err := checkText("title", s, 0, MaxTitle, ""); err != nil {
		return "", err
	}
	if strings.ContainsAny(s, "\u2028\u2029") {
		return "", Invalid("title", "must be one line")
	}
	return s, nil
}

// ParseText checks a post's text: 1 to 5,000 characters, not blank. It keeps
// newlines and tabs; CRLF and CR become LF. The error is an InvalidError on the
// field "text".
func ParseText(s string) (string, error) {
	s = normalizeNewlines(s)
	if err := checkText("text", s, 1, MaxText, "\n\t"); err != nil {
		return "", err
	}
	return s, nil
}

// ParseDescription checks a channel's description: at most 500 characters. It
// drops blanks at both ends and keeps newlines and tabs between them. The error is
// an InvalidError on the field "description".
func ParseDescription(s string) (string, error) {
	s = strings.Trim(normalizeNewlines(s), " \n\t")
	if err := checkText("description", s, 0, MaxDescription, "\n\t"); err != nil {
		return "", err
	}
	return s, nil
}

func normalizeNewlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// isVisible reports whether a reader can see a character. Of the format characters, those that are
// written before a number are visible.
func isVisible(r rune) bool {
	format := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	return !format && !unicode.IsSpace(r) && !looksEmpty(r)
}

// looksEmpty reports whether a character takes no room, or leaves it empty: it is one of Unicode's
// Default_Ignorable_Code_Point, or blank.
func looksEmpty(r rune) bool {
	const blank = "\u2800\U00013441\U00013442\U00016fe4"
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || strings.ContainsRune(blank, r)
}

// checkText checks that s is valid UTF-8, has low to high characters, and has no
// control characters except the allowed ones. If low is not 0, s must not be
// empty. It must not be blank: spaces, or other invisible characters.
func checkText(field, s string, low, high int, allowed string) error {
	if !utf8.ValidString(s) {
		return Invalid(field, "is not valid UTF-8")
	}
	if (low > 0 || s != "") && !strings.ContainsFunc(s, isVisible) {
		return Invalid(field, "must not be blank")
	}
	if n := utf8.RuneCountInString(s); n > high {
		return Invalid(field, "must have at most %d characters, this has %d", high, n)
	}
	for _, r := range s {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return Invalid(field, "must not hold the control character %U", r)
		}
	}
	return nil
}
