package domain

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many marks that take no room of their own a letter of a new name may have, as UTS 39
// advises (5.4).
const maxMarks = 4

// ParseNewChannelName checks the name of a channel that is to be created, and returns it as
// [ParseChannelName] does. So that it looks like no other name, it has letters of one script, or of
// scripts that are written together; no letters in a special form, such as “Ａ”, unless it has the key of
// the plain form, as with “ﬁ”; and no piles of marks. It refuses no name of ASCII that ParseChannelName
// accepts. A channel that exists keeps a name that would be refused. The error is an InvalidError on the
// field "name".
func ParseNewChannelName(s string) (ChannelName, error) {
	name, err := ParseChannelName(s)
	if err != nil {
		return "", err
	}
	if !strings.ContainsFunc(string(name), isBeyondASCII) {
		return name, nil
	}
	plain := plainForm(string(name))
	if Fold(plain) != Fold(string(name)) {
		return "", Invalid("name", "has letters in a special form. In plain letters it is “%s”", plain)
	}
	if err := checkMarks(string(name)); err != nil {
		return "", err
	}
	if err := checkScripts(plain); err != nil {
		return "", err
	}
	if name.LookAlike().Key() == reservedName {
		return "", Invalid("name", "looks like “new”, which is reserved")
	}
	return name, nil
}

// plainForm replaces letters in a special form (wide, small, raised, of mathematics) by those that
// they are a form of. It keeps letters that keyboards of Thai, Lao and Korean have, the raised letters of
// Spanish and Portuguese numbers, and the ʷ of Salish languages, although Unicode counts them to these forms.
func plainForm(s string) string {
	var plain strings.Builder
	for _, r := range s {
		if r >= 'ㄱ' && r <= 'ㆎ' || strings.ContainsRune("ໜໝºªʷ", r) {
			plain.WriteRune(r)
		} else {
			plain.WriteString(norm.NFKC.String(string(r)))
		}
	}
	typed := strings.NewReplacer("\u0e4d\u0e32", "ำ", "\u0ecd\u0eb2", "ຳ") // one key, and two letters
	return typed.Replace(norm.NFC.String(plain.String()))
}

// checkMarks refuses more marks on a letter than can be told apart.
func checkMarks(s string) error {
	marks, previous := 0, rune(0)
	for _, r := range norm.NFD.String(s) {
		switch {
		case !unicode.In(r, unicode.Mn, unicode.Me):
			marks = 0
		case r == previous:
			return Invalid("name", "must not have the same mark twice on a letter")
		default:
			marks++
		}
		if marks > maxMarks {
			return Invalid("name", "must have at most %d marks on a letter", maxMarks)
		}
		previous = r
	}
	return nil
}

// checkScripts refuses letters of scripts that no language writes together (“highly restrictive” in
// UTS 39): Latin letters may be in a name with those of Chinese, Japanese or Korean.
func checkScripts(s string) error {
	type letter struct {
		rune   rune
		script string
	}
	var seen []letter // the first of each script
	for _, r := range s {
		script := scriptOf(r)
		if script == "" || slices.ContainsFunc(seen, func(l letter) bool { return l.script == script }) {
			continue
		}
		for _, l := range seen {
			if !writtenTogether(l.script, script) {
				return Invalid("name", "mixes scripts: “%c” is %s, “%c” is %s. Use letters of one script", l.rune, l.script, r, script)
			}
		}
		seen = append(seen, letter{r, script})
	}
	return nil
}

// scriptOf is the script of a letter, a mark or a digit. It is empty for one that many scripts share.
func scriptOf(r rune) string {
	switch {
	case r >= '\u064b' && r <= '\u0655', r == '\u0670', r == '\u0640': // shared with few scripts, such as Syriac
		return "Arabic"
	case r == 'θ': // Salish languages have it among Latin letters, and it looks like none of them
		return ""
	case unicode.In(r, unicode.Common, unicode.Inherited):
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return strings.ReplaceAll(name, "_", " ")
		}
	}
	return ""
}

func writtenTogether(a, b string) bool {
	for _, scripts := range [][]string{
		{"Latin", "Han", "Hiragana", "Katakana"},
		{"Latin", "Han", "Bopomofo"},
		{"Latin", "Han", "Hangul"},
	} {
		if slices.Contains(scripts, a) && slices.Contains(scripts, b) {
			return true
		}
	}
	return false
}

// lookAlikes has a text of ASCII in each line, and after a space the letters that look like it.
// look_alikes.LICENSE says where they come from.
//
//go:embed look_alikes.txt
var lookAlikes string

// LookAlike returns the name of ASCII that a reader may take n for, in the case that n shows. It is
// empty if n looks like none, or is of ASCII itself. A stroke through a letter, and modifier letters at the
// end, such as those that look like a comma, are left out.
func (n ChannelName) LookAlike() ChannelName {
	if !strings.ContainsFunc(string(n), isBeyondASCII) {
		return ""
	}
	var ascii strings.Builder
	for _, r := range strings.TrimRightFunc(norm.NFD.String(string(n)), isModifier) {
		text := asciiLike(r)
		dotted := strings.HasSuffix(ascii.String(), "i") || strings.HasSuffix(ascii.String(), "j")
		switch {
		case norm.NFD.PropertiesString(string(r)).CCC() == overlay:
		case r == '\u0307' && dotted: // a dot above, in the place of the dot that is there
		case text == "":
			return ""
		default:
			ascii.WriteString(text)
		}
	}
	return ChannelName(ascii.String())
}

// overlay is the combining class of marks that are drawn over a letter.
const overlay = 1

// isModifier reports whether a letter is small and near the one before it, and looks like no text of ASCII.
func isModifier(r rune) bool { return (unicode.Is(unicode.Lm, r) || r == 'ꞏ') && asciiLike(r) == "" }

func isBeyondASCII(r rune) bool { return r > unicode.MaxASCII }

// asciiLike is the text of ASCII that a character is, or looks like.
func asciiLike(r rune) string {
	if !isBeyondASCII(r) {
		return string(r)
	}
	at := strings.IndexRune(lookAlikes, r)
	if at < 0 {
		return ""
	}
	line := lookAlikes[strings.LastIndexByte(lookAlikes[:at], '\n')+1:]
	text, _, _ := strings.Cut(line, " ")
	return text
}
