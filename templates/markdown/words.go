package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Words returns what a reader of the text would read, as one line without marks.
func Words(source string) string {
	if plain(source) {
		return strings.Join(strings.Fields(source), " ")
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(Render(source, BelowTitle).html))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.WriteString(z.Token().Data)
		default:
			if name, _ := z.TagName(); !inline(string(name)) {
				b.WriteByte(' ')
			}
		}
	}
}

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
