package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns what a reader of the text would read, as one line without marks.
func Words(source string) string {
	if plain(source) {
		return oneLine(source)
	}
	return oneLine(visible(Render(source, BelowTitle)))
}

// visible returns what a reader sees. There is white space at each edge of a block, because Render breaks the line there.
func visible(shown HTML) string {
	var b strings.Builder
	for rest := shown.html; rest != ""; {
		text, tag, _ := strings.Cut(rest, "<")
		b.WriteString(html.UnescapeString(text))
		_, rest, _ = strings.Cut(tag, ">") // Render escapes it in attributes
	}
	return b.String()
}

// oneLine makes one space of all white space, and none of that at the ends.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// plain reports whether a text surely has no marks: it is one line, which begins with a letter
// and has no character that could be a mark. Most titles and descriptions are plain.
func plain(source string) bool {
	first, _ := utf8.DecodeRuneInString(source)
	return unicode.IsLetter(first) && !strings.ContainsAny(source, "\n*_`~[]<>&\\!#")
}
