package domain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits on the length of names, in code points after normalization.
const (
	MaxChannelName = 64
	MinUserName    = 2
	MaxUserName    = 32
)

// maxChannelKey is the length limit of a channel key, in bytes. Azure allows keys
// of 1 KiB in UTF-16 (512 characters), and some keys contain a channel key and
// more. Only a name with dozens of ligatures that fold to several letters comes
// near the limit.
const maxChannelKey = 448

// reservedName is the key of no channel: it is the path of the form that creates one.
const reservedName = "new"

// A ChannelName is a channel's name in its owner's spelling, in NFC.
type ChannelName string

// A ChannelKey is the partition key of a channel, made from its name. Two names
// that differ only in case or in normalization have the same key. It is ASCII, so
// that every backend sorts it in the same order.
type ChannelKey string

// ParseChannelName checks a name against the rules: 1 to 64 characters after
// NFC; letters with their combining marks, and digits, with a single "-", "_"
// or "." between them. An invisible character is refused, because a name with it looks
// empty or like another. The error is an InvalidError on the field "name".
func ParseChannelName(s string) (ChannelName, error) {
	if !utf8.ValidString(s) {
		return "", Invalid("name", "is not valid UTF-8")
	}
	s = norm.NFC.String(s)
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return "", Invalid("name", "must not be empty")
	case n > MaxChannelName:
		return "", Invalid("name", "must have at most %d characters, this has %d", MaxChannelName, n)
	}
	if err := checkChannelRunes(s); err != nil {
		return "", err
	}
	name := ChannelName(s)
	switch key := name.Key(); {
	case key == reservedName:
		return "", Invalid("name", "“new” is reserved")
	case len(key) > maxChannelKey:
		return "", Invalid("name", "is too long once its ligatures are written out")
	}
	return name, nil
}

// checkChannelRunes checks s against the grammar
// name = word *(separator word), word = 1*(digit / letter *mark).
func checkChannelRunes(s string) error {
	const separators = "-_."
	previous := '.' // so that a name cannot start with a separator
	for _, r := range s {
		switch {
		case !isVisible(r) && !unicode.IsSpace(r):
			return Invalid("name", "must not contain the character %U, which is invisible", r)
		case unicode.IsLetter(r), unicode.IsDigit(r):
		case unicode.IsMark(r):
			if !unicode.IsLetter(previous) && !unicode.IsMark(previous) {
				return Invalid("name", "has a combining mark that follows no letter")
			}
		case strings.ContainsRune(separators, r):
			if strings.ContainsRune(separators, previous) {
				return Invalid("name", "must have a letter or digit before each “-”, “_” or “.”")
			}
		case unicode.IsSpace(r):
			return Invalid("name", "Spaces are not allowed")
		default:
			return Invalid("name", "may hold letters, digits, and single “-”, “_” or “.” between them, not %q", r)
		}
		previous = r
	}
	if strings.ContainsRune(separators, previous) {
		return Invalid("name", "must end with a letter or digit")
	}
	return nil
}

// Key is the name's channel key: the name is folded, and then each code point above
// U+007F becomes "~" and six hex digits, which keeps the order of code points.
func (n ChannelName) Key() ChannelKey {
	var b strings.Builder
	for _, r := range Fold(string(n)) {
		if r < utf8.RuneSelf && r != '~' { // a "~" begins an escape
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "~%06x", r)
		}
	}
	return ChannelKey(b.String())
}

// Name returns a name that has the key: that of the channel in small letters.
func (k ChannelKey) Name() ChannelName {
	name, escaped, _ := strings.Cut(string(k), "~")
	for escaped != "" {
		var digits, rest string
		digits, escaped, _ = strings.Cut(escaped, "~")
		if len(digits) > 6 {
			digits, rest = digits[:6], digits[6:]
		}
		if code, err := strconv.ParseInt(digits, 16, 32); err == nil {
			name += string(rune(code))
		}
		name += rest
	}
	return ChannelName(name)
}

// Fold makes texts equal that differ only in case or in normalization. A text is
// decomposed (NFD), case-folded in full and composed (NFC): the Unicode Standard's
// canonical caseless match (D145).
func Fold(s string) string {
	return norm.NFC.String(strings.Map(foldCherokee, cases.Fold().String(norm.NFD.String(s))))
}

// isChannelKey reports whether s can be the key of a name. Text from outside must
// pass it before it becomes part of a key.
func isChannelKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxChannelKey
}

// foldCherokee folds Cherokee letters, the only ones that fold to upper case.
// x/text swaps their case instead (golang/go issue 46101).
func foldCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

// A UserName is an account's name in lower case: 2 to 32 characters of a-z, 0-9
// and "_".
type UserName string

// ParseUserName accepts a name as people write it, in upper or lower case, with white space around
// it and with an "@" before it, and returns it in lower case. The error is an InvalidError on the
// field "name".
func ParseUserName(s string) (UserName, error) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "@")
	if len(s) < MinUserName || len(s) > MaxUserName {
		return "", Invalid("name", "must have %d to %d characters", MinUserName, MaxUserName)
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' {
			return "", Invalid("name", "may hold only letters a to z, digits and “_”")
		}
	}
	return UserName(strings.ToLower(s)), nil
}
