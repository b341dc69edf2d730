package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const ellipsis = "…"

// CutWords shortens s to at most limit characters, including an ellipsis, and tells
// whether s was longer. It cuts between words. If the text has no space in its
// second half (Chinese, a long address), it cuts between grapheme clusters.
func CutWords(s string, limit int) (string, bool) {
	if utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	end := byteOffset(s, limit-utf8.RuneCountInString(ellipsis))
	// The character after the limit may be the space that ends the last word.
	_, next := utf8.DecodeRuneInString(s[end:])
	if space := strings.LastIndexFunc(s[:end+next], unicode.IsSpace); space > end/2 {
		end = space
	} else {
		end = clusterStart(s, end)
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + ellipsis, true
}

// byteOffset returns the offset of the character with this number, or the length
// of s if there are fewer characters.
func byteOffset(s string, character int) int {
	for offset := range s {
		if character == 0 {
			return offset
		}
		character--
	}
	return len(s)
}

// clusterStart moves an offset back to the start of its grapheme cluster. In the
// first cluster it returns the offset unchanged, so that some text is left.
func clusterStart(s string, offset int) int {
	start := 0
	for clusters := uniseg.NewGraphemes(s); clusters.Next(); {
		from, to := clusters.Positions()
		if to > offset {
			start = from
			break
		}
	}
	if start == 0 {
		return offset
	}
	return start
}
