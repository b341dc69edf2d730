package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Words returns what a reader of the text would read, as one line without marks.
func Words(source string) string {
	if plain(source) {
		return oneLine(source)
	}
	seen, _ := visible(Render(source, BelowTitle))
	return oneLine(seen)
}

// visible returns what a reader sees, with a space for each edge of a block, and from where to where
// each byte of it is in the HTML. It is nowhere if both are the same.
func visible(shown HTML) (string, [][2]int) {
	var b strings.Builder
	var at [][2]int
	z := html.NewTokenizer(strings.NewReader(shown.html))
	for offset := 0; ; {
		kind, raw := z.Next(), z.Raw()
		switch name, _ := z.TagName(); {
		case kind == html.ErrorToken: // the end
			return b.String(), at
		case kind != html.TextToken:
			if !inline(string(name)) {
				b.WriteByte(' ')
				at = append(at, [2]int{offset, offset})
			}
		default:
			for i := 0; i < len(raw); {
				end := i + 1
				if raw[i] == '&' {
					end = max(end, i+1+bytes.IndexByte(raw[i:], ';'))
				}
				b.WriteString(html.UnescapeString(string(raw[i:end])))
				for len(at) < b.Len() {
					at = append(at, [2]int{offset + i, offset + end})
				}
				i = end
			}
		}
		offset += len(raw)
	}
}

// oneLine makes one space of all white space, and none of that at the ends.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// inline reports whether an element of a rendered text is within a word.
func inline(element string) bool {
	switch element {
	case "a", "em", "strong", "del", "code":
		return true
	}
	return false
}

// plain reports whether a text surely has no marks: it is one line, which begins with a letter
// and has no character that could be a mark. Most titles and descriptions are plain.
func plain(source string) bool {
	first, _ := utf8.DecodeRuneInString(source)
	return unicode.IsLetter(first) && !strings.ContainsAny(source, "\n*_`~[]<>&\\!#")
}
