package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const ellipsis = "…"

// cut shortens s to at most limit characters, an ellipsis included, and tells
// whether it had to. It cuts between words; where a text has no spaces for long
// (Chinese, a huge address) between two characters as a reader sees them.
func cut(s string, limit int) (string, bool) {
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

// byteOffset is where the character with the given number starts.
func byteOffset(s string, character int) int {
	for offset := range s {
		if character == 0 {
			return offset
		}
		character--
	}
	return len(s)
}

// clusterStart moves an offset back to the start of the grapheme cluster that it
// is in, if that leaves anything.
func clusterStart(s string, offset int) int {
	start, state := 0, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if start+len(cluster) > offset {
			break
		}
		start += len(cluster)
	}
	if start == 0 {
		return offset
	}
	return start
}
