package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A Finder finds a text in what readers see of other texts: without marks, and where letters differ
// in case, apostrophes and dashes in their form, and white space in its length. It is safe for
// concurrent use.
type Finder struct {
	// Text is what to find, folded. It is empty if a reader sees nothing of it.
	Text string
	// at has for each byte of a source where it is in Text: bit i for the byte i, up to 64 bytes.
	at   [256]uint64
	last uint64
	// box reports whether Text has the box of a task.
	box bool
}

// NewFinder returns what finds the text.
func NewFinder(text string) *Finder {
	f := &Finder{Text: strings.Join(strings.Fields(fold(text)), " ")}
	for i := range min(len(f.Text), 64) {
		f.last = 1 << i
		f.at[f.Text[i]] |= f.last
	}
	for c := 'a'; c <= 'z'; c++ {
		f.at[unicode.ToUpper(c)] = f.at[c]
	}
	f.box = strings.ContainsAny(f.Text, "☐☑")
	return f
}

// In reports whether the text is in a title, or in what a reader sees of a source.
func (f *Finder) In(title, source string) bool {
	return f.mayBeIn(title) && len(f.spans(title)) > 0 || f.mayBeIn(source) && len(f.spans(Words(source))) > 0
}

// mayBeIn reports whether the text may be in what a reader sees of a source. To render each
// source would cost a hundred times more. It compares each byte, and keeps all lengths of Text that
// end at the present byte (the algorithm is known as bitap). What a reader does not see begins and ends
// at ASCII punctuation or a line break. So a part of Text that ends there may go on after any
// later one. That allows more than a reader sees, and no less: only a box of a task, an entity and the
// address of a link without a text are not in the source as they are seen.
func (f *Finder) mayBeIn(source string) bool {
	if f.box || strings.Contains(source, ";") && html.UnescapeString(source) != source {
		return true
	}
	if !isASCII(source) {
		if composes(source) {
			return true
		}
		source = fold(source)
	}
	space, open := f.at[' '], true // open: all that was kept may go on here
	var begun, kept uint64         // bit i: i+1 bytes of Text end here, or ended where they may go on later
	for i := range len(source) {
		switch c := source[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf:
			begun, open = (begun<<1|1)&f.at[c], false
		case c == ' ':
			kept |= begun
			begun = (begun<<1|1)&space | begun&space
			if open {
				begun |= kept
			}
		case c == ']' && strings.HasSuffix(strings.TrimRight(source[:i], " \t\n"), "["):
			return true
		default:
			kept |= begun
			kept |= (kept<<1 | 1) & (f.at[c] | space)
			begun, open = kept, true
		}
		if begun&f.last != 0 {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// composes reports whether a mark of the source may be between two characters that make one.
func composes(source string) bool {
	for i := 1; i < len(source); i++ {
		if c := source[i-1]; source[i] >= utf8.RuneSelf && c < utf8.RuneSelf && !unicode.IsLetter(rune(c)) &&
			!norm.NFC.PropertiesString(source[i:]).BoundaryBefore() {
			return true
		}
	}
	return false
}

// fold makes texts equal that differ only in what a Finder ignores, but for the length of white space.
// It is the full case folding of Unicode, and makes one letter of the Turkish i with a dot and without.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	if strings.ContainsFunc(s, mayCompose) {
		s = norm.NFC.String(s)
	}
	b := make([]byte, 0, len(s)+utf8.UTFMax)
	for _, r := range s {
		switch {
		case int(r) < len(lower) && lower[r] != 0:
			b = utf8.AppendRune(b, lower[r])
		case r == 'ı':
			b = append(b, 'i')
		case unicode.Is(irregular, r):
			b = append(b, strings.ReplaceAll(cases.Fold().String(string(r)), "ʼ", "'")...)
		case unicode.IsLetter(r) && r != 'ʼ':
			b = utf8.AppendRune(b, unicode.ToLower(r))
		case unicode.Is(unicode.Pd, r) || r == '−':
			b = append(b, '-')
		case strings.ContainsRune("‘’‚‛ʼ′＇", r):
			b = append(b, '\'')
		case unicode.IsSpace(r):
			b = append(b, ' ')
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u0307' && len(b) > 0 && b[len(b)-1] == 'i':
		default:
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
	}
	return string(b)
}

// lower has the lower case of the frequent characters that are folded to it alone, because unicode.ToLower searches.
var lower = func() (lower [0x500]rune) {
	for r := range rune(len(lower)) {
		if r < utf8.RuneSelf || unicode.IsLetter(r) && !unicode.Is(irregular, r) && r != 'ı' && r != 'ʼ' {
			lower[r] = unicode.ToLower(r)
		}
	}
	return lower
}()

// mayCompose reports whether NFC may change a character or compose it with another. It knows Latin, Cyrillic, quotation
// marks, dashes, Chinese and emoji, because to normalize takes half of the time of fold.
func mayCompose(r rune) bool {
	return r >= 0x300 && (r < 0x400 || r > 0x482) && (r < 0x2010 || r > 0x2027) && (r < 0x4e00 || r > 0x9fff) && (r < 0x1f300 || r > 0x1faff)
}

// irregular has the letters that are not folded to their lower case alone, and some near them.
var irregular = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb5, 0xb5, 1}, {0xdf, 0xdf, 1}, {0x149, 0x149, 1}, {0x17f, 0x17f, 1}, {0x1f0, 0x1f0, 1}, {0x345, 0x345, 1}, {0x390, 0x390, 1},
		{0x3b0, 0x3b0, 1}, {0x3c2, 0x3c2, 1}, {0x3d0, 0x3d6, 1}, {0x3f0, 0x3f5, 1}, {0x587, 0x587, 1}, {0x1c80, 0x1c8a, 1},
		{0x1e96, 0x1e9e, 1}, {0x1f50, 0x1fff, 1}, {0xfb00, 0xfb17, 1},
	},
	LatinOffset: 2,
}

// spans are where the text is in what a reader sees: pairs of offsets.
func (f *Finder) spans(text string) (found [][2]int) {
	var folded strings.Builder
	var from []int // the offset of each folded byte in the text
	for i := 0; i < len(text); {
		n := norm.NFC.NextBoundaryInString(text[i:], true)
		piece := fold(text[i : i+n])
		if rest := strings.TrimSpace(piece); rest != piece { // one space for several
			piece = strings.TrimPrefix(" ", folded.String()[max(0, folded.Len()-1):]) + rest
		}
		folded.WriteString(piece)
		for len(from) < folded.Len() {
			from = append(from, i)
		}
		i += n
	}
	from = append(from, len(text))
	for end := 0; f.Text != ""; {
		at := strings.Index(folded.String()[end:], f.Text)
		if at < 0 {
			break
		}
		at += end
		end = at + len(f.Text)
		after := end
		for from[after] == from[end-1] {
			after++
		}
		found = append(found, [2]int{from[at], from[after]})
		end = after
	}
	return found
}

// Literal is a text without marks, as it is.
func Literal(text string) HTML { return HTML{html.EscapeString(text)} }

// Mark marks each place where a reader finds the text.
func (f *Finder) Mark(shown HTML) HTML {
	seen, at := visible(shown)
	var b strings.Builder
	done := 0
	mark := func(from, to int) {
		if part := shown.html[from:to]; strings.TrimSpace(part) != "" {
			b.WriteString(shown.html[done:from] + "<mark>" + part + "</mark>")
			done = to
		}
	}
	for _, span := range f.spans(seen) {
		from, to := 0, 0
		for _, c := range at[span[0]:span[1]] {
			if c[0] != to && c[0] < c[1] { // there is markup between
				mark(from, to)
				from = c[0]
			}
			to = max(to, c[1])
		}
		mark(from, to)
	}
	return HTML{b.String() + shown.html[done:]}
}

// aroundMatch is how many bytes or characters Around shows on each side.
const aroundMatch = 60

// Around returns the words around the first place where a reader finds the text in the source, or in
// the title.
func (f *Finder) Around(title, source string) string {
	seen := Words(source)
	spans := f.spans(seen)
	if len(spans) == 0 {
		seen, spans = title, append(f.spans(title), [2]int{})
	}
	from, to := spans[0][0], spans[0][1]
	before := seen[:from]
	if from > aroundMatch {
		_, before, _ = strings.Cut(before[from-aroundMatch:], " ")
		before = ellipsis + before
	}
	after, _ := CutWords(seen[from:], utf8.RuneCountInString(seen[from:to])+aroundMatch)
	return before + after
}
