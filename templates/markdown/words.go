package markdown

import (
	"strings"

	"golang.org/x/net/html"
)

// Words returns what a reader of the text would read, as one line without marks.
func Words(source string) string {
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

// inline says whether an element of a rendered text stands within a word.
func inline(element string) bool {
	switch element {
	case "a", "em", "strong", "del", "code":
		return true
	}
	return false
}
