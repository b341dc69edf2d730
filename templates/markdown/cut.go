package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// after stands after a text that was cut, as a paragraph of its own.
const after = "\n\n" + ellipsis

// Cut shortens a text to at most limit characters, including an ellipsis, and tells
// whether it was longer. It cuts between blocks. If that would leave less than half, it
// cuts between words, but not within a link or other marks, and it closes code.
func Cut(source string, limit int) (string, bool) {
	if utf8.RuneCountInString(source) <= limit {
		return source, false
	}
	room := roomBefore(source, limit, after)
	read := []byte(source)
	doc := parse(read)
	at := 0
	for _, block := range children(doc) {
		if start := lineStart(source, block.Pos()); start > at && start <= room {
			at = start
		}
	}
	if at > room/2 {
		return trimEnd(source[:at]) + after, true
	}
	if at, tail := cutWithin(doc, source, limit); at > room/2 {
		return trimEnd(source[:at]) + tail, true
	}
	return CutWords(source, limit)
}

// roomBefore returns how much of s, in bytes, may stand before the tail.
func roomBefore(s string, limit int, tail string) int {
	return byteOffset(s, max(0, limit-utf8.RuneCountInString(tail)))
}

func trimEnd(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

// lineStart returns where the line begins that holds the offset.
func lineStart(s string, offset int) int {
	return strings.LastIndexByte(s[:min(max(offset, 0), len(s))], '\n') + 1
}

// cutWithin finds the last place where a block can be cut, and what must stand there.
func cutWithin(doc ast.Node, source string, limit int) (at int, tail string) {
	room := roomBefore(source, limit, ellipsis)
	for _, n := range descendants(doc) {
		switch n := n.(type) {
		case *ast.Text:
			if n.Parent().Type() != ast.TypeBlock {
				continue // it is inside marks
			}
			start, stop := n.Segment.Start, n.Segment.Stop
			end := cutText(source, start, stop, room)
			if end == 0 && at <= room/2 && start < room { // a script without spaces
				end = start + clusterStart(source[start:stop], room-start)
			}
			if end > at {
				at, tail = end, ellipsis
			}
		case *ast.CodeBlock:
			if end := cutCode(n, roomBefore(source, limit, after)); end > at {
				at, tail = end, after
			}
		case *ast.FencedCodeBlock:
			closed := fenceOf(n, source) + after
			if end := cutCode(n, roomBefore(source, limit, closed)); end > at {
				at, tail = end, closed
			}
		}
	}
	return at, tail
}

// cutText returns where to cut the text from start to stop: after its last word that ends
// before room. It returns 0 if there is no such word.
func cutText(source string, start, stop, room int) int {
	if stop <= room {
		return stop
	}
	if start >= room {
		return 0
	}
	// The character after the limit may be the space that ends the last word.
	_, next := utf8.DecodeRuneInString(source[room:])
	if space := strings.LastIndexFunc(source[start:room+next], unicode.IsSpace); space >= 0 {
		return start + space
	}
	return 0
}

// cutCode returns the end of the last line of code before room. It returns 0 if there is
// none.
func cutCode(n ast.Node, room int) int {
	at := 0
	lines := n.Lines()
	for i := range lines.Len() {
		if stop := lines.At(i).Stop; stop <= room {
			at = stop
		}
	}
	return at
}

// fenceOf returns the end of a line and a line that closes a block of code. A block within
// a quotation or a list ends with that, so it needs none.
func fenceOf(n *ast.FencedCodeBlock, source string) string {
	if n.Parent().Kind() != ast.KindDocument || n.Pos() < 0 {
		return ""
	}
	line := strings.TrimLeft(source[n.Pos():], " ")
	if line == "" {
		return ""
	}
	return "\n" + line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}
