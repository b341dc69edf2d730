package markdown

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A Finder finds a text in titles and in the sources of texts. It compares what [fold] makes of both, so
// it renders nothing. It is safe for concurrent use.
type Finder struct {
	// Text is what to find, folded. It is empty if nothing is left to find.
	Text string
	text []byte
}

// NewFinder returns what finds the text.
func NewFinder(text string) Finder {
	folded := bytes.TrimSpace(fold(nil, text))
	return Finder{string(folded), folded}
}

// In reports whether the text is in a title or in the source of a text.
func (f Finder) In(title, source string) bool {
	var room [4 << 10]byte // for most texts, so that a search of thousands leaves nothing to collect
	return bytes.Contains(fold(room[:0], title), f.text) || bytes.Contains(fold(room[:0], source), f.text)
}

// fold appends a text in a form that is the same for texts that differ only in what a Finder ignores:
// entities are the characters that they name, each character is what alike says, and white space is
// one space.
func fold(folded []byte, text string) []byte {
	if strings.Contains(text, ";") { // most texts have no entity
		text = html.UnescapeString(text)
	}
	if !isASCII(text) {
		text = foldLetters(text)
	}
	last := byte(0)
	for i := range len(text) {
		if c := ascii[text[i]]; c != 0 && (c != ' ' || last != ' ') {
			folded, last = append(folded, c), c
		}
	}
	return folded
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldLetters folds what is not ASCII. It is strings.Map(alike, cases.Fold().String(norm.NFC.String(text))), in less
// than half of the time.
func foldLetters(text string) string {
	if strings.ContainsFunc(text, mayCompose) {
		text = norm.NFC.String(text)
	}
	letters, folded := letters(), make([]byte, 0, len(text))
	for _, r := range text {
		if r < utf8.RuneSelf {
			folded = append(folded, byte(r))
		} else if as, is := letters[r]; is {
			folded = append(folded, as...)
		} else {
			folded = utf8.AppendRune(folded, r)
		}
	}
	return string(folded)
}

// alike returns the character that a folded one is compared as, or -1 for none. Marks within a line of
// CommonMark are none, and so is what has no width.
func alike(r rune) rune {
	switch {
	case strings.ContainsRune("*_~`[]\\", r), unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		return -1
	case unicode.IsSpace(r):
		return ' '
	case strings.ContainsRune("‘’‚‛ʼ′＇", r):
		return '\''
	case unicode.Is(unicode.Pd, r) || r == '−':
		return '-'
	case r == 'ı':
		return 'i'
	case r == '\u0307': // Unicode folds the Turkish İ to i and this dot
		return -1
	}
	return unicode.ToLower(r) // because cases.Fold swaps the case of Cherokee letters (golang/go issue 46101)
}

// ascii has what alike makes of each byte of ASCII, 0 for none, and the other bytes as they are.
var ascii = func() (as [256]byte) {
	for c := range as {
		as[c] = byte(c)
		if c < utf8.RuneSelf {
			as[c] = byte(max(alike(rune(c)), 0))
		}
	}
	return as
}()

// letters has the characters that the library and alike change.
var letters = sync.OnceValue(func() map[rune]string {
	changed, caser := map[rune]string{}, cases.Fold()
	for r := rune(utf8.RuneSelf); r < 0x20000; r++ { // above are Chinese letters, and tags within a few flags
		if unicode.Is(unicode.Lo, r) {
			continue // a letter without a case
		}
		if as := strings.Map(alike, caser.String(string(r))); as != string(r) {
			changed[r] = as
		}
	}
	return changed
})

// mayCompose reports whether NFC may change a character or compose it with another. It knows Latin, Cyrillic, quotation
// marks, dashes, Chinese and emoji, because to normalize takes as long as to fold.
func mayCompose(r rune) bool {
	return r >= 0x300 && (r < 0x400 || r > 0x482) && (r < 0x2010 || r > 0x2027) && (r < 0x4e00 || r > 0x9fff) && (r < 0x1f300 || r > 0x1faff)
}

// Literal is a text without marks, as it is.
func Literal(text string) HTML { return HTML{html.EscapeString(text)} }

// Mark marks each place where the text is in what is shown, folded.
func (f Finder) Mark(shown HTML) HTML {
	parts := partsOf(shown)
	found := f.among(parts)
	var b strings.Builder
	for i, end := 0, 0; i < len(parts); i = end {
		for end = i + 1; end < len(parts) && found[end] == found[i]; {
			end++
		}
		same := strings.Join(parts[i:end], "")
		if found[i] && strings.TrimSpace(same) != "" {
			same = "<mark>" + same + "</mark>"
		}
		b.WriteString(same)
	}
	return HTML{b.String()}
}

// partsOf returns the tags of HTML, and the characters between them with their combining marks.
func partsOf(shown HTML) (parts []string) {
	for rest, n := shown.html, 0; rest != ""; rest = rest[n:] {
		switch rest[0] {
		case '<':
			n = strings.IndexByte(rest, '>') + 1
		case '&':
			n = strings.IndexByte(rest, ';') + 1
		default:
			n = norm.NFC.NextBoundaryInString(rest, true)
		}
		parts = append(parts, rest[:n])
	}
	return parts
}

// among reports for each part whether it shows some of the text.
func (f Finder) among(parts []string) []bool {
	var folded []byte
	var of []int // the part of each folded byte
	for i, part := range parts {
		if part[0] == '<' {
			continue
		}
		as := fold(nil, part)
		if bytes.HasSuffix(folded, []byte(" ")) {
			as = bytes.TrimPrefix(as, []byte(" "))
		}
		folded = append(folded, as...)
		of = append(of, slices.Repeat([]int{i}, len(as))...)
	}
	found := make([]bool, len(parts))
	for end := 0; f.Text != ""; {
		at := bytes.Index(folded[end:], f.text)
		if at < 0 {
			break
		}
		at, end = end+at, end+at+len(f.Text)
		for i := of[at]; i <= of[end-1]; i++ {
			found[i] = parts[i][0] != '<'
		}
	}
	return found
}

// aroundMatch is how many characters Around shows on each side.
const aroundMatch = 60

// Around returns the words around the first place where the text is in what a reader sees of the
// source, in the title, or in the source itself, such as in the address of a link.
func (f Finder) Around(title, source string) string {
	var parts []string
	at := -1
	for _, text := range []string{Words(source), title, oneLine(source)} {
		parts = partsOf(Literal(text))
		if at = slices.Index(f.among(parts), true); at >= 0 {
			break
		}
	}
	at = max(at, 0)
	from := max(at-aroundMatch, 0)
	before := strings.Join(parts[from:at], "")
	if from > 0 {
		_, before, _ = strings.Cut(before, " ")
		before = ellipsis + before
	}
	after, _ := CutWords(html.UnescapeString(strings.Join(parts[at:], "")), utf8.RuneCountInString(f.Text)+aroundMatch)
	return html.UnescapeString(before) + after
}
