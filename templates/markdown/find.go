package markdown

import (
	"html"
	"slices"
	"strings"
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
}

// NewFinder returns what finds the text.
func NewFinder(text string) Finder {
	return Finder{strings.TrimSpace(fold(text))}
}

// In reports whether the text is in a title or in the source of a text.
func (f Finder) In(title, source string) bool {
	return strings.Contains(fold(title), f.Text) || strings.Contains(fold(source), f.Text)
}

// fold returns a text in a form that is the same for texts that differ only in what a Finder ignores:
// entities are the characters that they name, each character is what alike says, and white space is
// one space.
func fold(text string) string {
	var last rune
	return strings.Map(func(r rune) rune {
		if r = alike(r); r == ' ' && last == ' ' {
			return -1
		}
		if r != -1 {
			last = r
		}
		return r
	}, foldCase(html.UnescapeString(text)))
}

// foldCase leaves ASCII to alike, which is most of what is searched and needs a tenth of the time.
func foldCase(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return cases.Fold().String(norm.NFC.String(text))
		}
	}
	return text
}

// alike returns the character that a folded one is compared as, or -1 for none. Marks within a line of
// CommonMark are none, and so is what has no width.
func alike(r rune) rune {
	switch r {
	case '*', '_', '~', '`', '[', ']', '\\':
		return -1
	case '‘', '’', '‚', '‛', 'ʼ', '′', '＇':
		return '\''
	case '−':
		return '-'
	case 'ı':
		return 'i'
	case '\u0307': // Unicode folds the Turkish İ to i and this dot
		return -1
	}
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r < utf8.RuneSelf: // most of what is searched
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		return -1
	case unicode.Is(unicode.Pd, r):
		return '-'
	}
	return unicode.ToLower(r) // because cases.Fold swaps the case of Cherokee letters (golang/go issue 46101)
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
	var b strings.Builder
	var of []int // the part of each folded byte
	for i, part := range parts {
		if part[0] == '<' {
			continue
		}
		as := fold(part)
		if strings.HasSuffix(b.String(), " ") {
			as = strings.TrimPrefix(as, " ")
		}
		b.WriteString(as)
		of = append(of, slices.Repeat([]int{i}, len(as))...)
	}
	folded, found := b.String(), make([]bool, len(parts))
	for end := 0; f.Text != ""; {
		at := strings.Index(folded[end:], f.Text)
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
