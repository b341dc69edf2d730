package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// after stands after a text that was cut, as a paragraph of its own.
const after = "\n\n" + ellipsis

// Cut shortens a text to at most limit characters, including an ellipsis, and tells
// whether it was longer. It cuts between blocks, and between words if that would leave less
// than half: then a mark may stand there as it was written.
func Cut(source string, limit int) (string, bool) {
	if utf8.RuneCountInString(source) <= limit {
		return source, false
	}
	room := byteOffset(source, max(0, limit-utf8.RuneCountInString(after)))
	read := []byte(source)
	doc := parse(read)
	at := 0
	for _, block := range children(doc) {
		if start := lineStart(source, block.Pos()); start > at && start <= room {
			at = start
		}
	}
	if at > room/2 {
		return strings.TrimRightFunc(source[:at], unicode.IsSpace) + after, true
	}
	return CutWords(source, limit)
}

// lineStart returns where the line begins that holds the offset.
func lineStart(s string, offset int) int {
	return strings.LastIndexByte(s[:min(max(offset, 0), len(s))], '\n') + 1
}
