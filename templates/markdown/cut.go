package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// after follows a text that was cut, as a paragraph of its own.
const after = "\n\n" + ellipsis

// Cut shortens a text to at most limit characters, including an ellipsis, and reports
// whether it was longer. It cuts at an empty line, and between words if that would leave less
// than half: then a mark may be there as it was written.
func Cut(source string, limit int) (string, bool) {
	if utf8.RuneCountInString(source) <= limit {
		return source, false
	}
	room := byteOffset(source, max(0, limit-utf8.RuneCountInString(after)))
	at := strings.LastIndex(source[:room], "\n\n")
	if at > room/2 {
		return strings.TrimRightFunc(source[:at], unicode.IsSpace) + after, true
	}
	return CutWords(source, limit)
}
