package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on texts, in characters (code points), as they are stored.
const (
	MaxTitle       = 120
	MaxText        = 5000
	MaxDescription = 500
	MinPassword    = 10
	MaxPassword    = 256
)

// ParseTitle checks a post's title: one line of at most 120 characters, or none.
// Spaces around it are dropped.
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

// ParseText checks a post's text: 1 to 5,000 characters, not blank. Newlines and
// tabs are kept, CRLF and CR become LF.
func ParseText(s string) (string, error) {
	s = normalizeNewlines(s)
	if err := checkText("text", s, 1, MaxText, "\n\t"); err != nil {
		return "", err
	}
	return s, nil
}

// ParseDescription checks a channel's description: at most 500 characters, of
// which newlines and tabs are kept.
func ParseDescription(s string) (string, error) {
	s = strings.Trim(normalizeNewlines(s), " \n\t")
	if err := checkText("description", s, 0, MaxDescription, "\n\t"); err != nil {
		return "", err
	}
	return s, nil
}

// CheckPassword holds a new password to its length. Any characters will do.
func CheckPassword(field, s string) error {
	if !utf8.ValidString(s) {
		return Invalid(field, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(s); n < MinPassword || n > MaxPassword {
		return Invalid(field, "must have %d to %d characters", MinPassword, MaxPassword)
	}
	return nil
}

func normalizeNewlines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// checkText holds s to a length and to valid UTF-8, and refuses control
// characters other than the allowed ones. A text that must have characters must
// have some that can be seen.
func checkText(field, s string, low, high int, allowed string) error {
	if !utf8.ValidString(s) {
		return Invalid(field, "is not valid UTF-8")
	}
	if low > 0 && strings.TrimSpace(s) == "" {
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
