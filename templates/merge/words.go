package merge

import (
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// diffTime limits the time to compare two texts. The part that is left then is
// replaced: correct, but coarse.
const diffTime = 100 * time.Millisecond

// words are the words of a text, and what is between them, so that a comparison splits
// no word and no emoji.
func words(text string) []string {
	var list []string
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		list = append(list, word)
	}
	return list
}

// kept says where each word of a text is in the other, and -1 if it is not. The ends of both,
// which have no word, are the last entry.
func kept(from, to []string) []int {
	letters := make(map[string]rune)
	differ := diffmatchpatch.New()
	differ.DiffTimeout = diffTime
	diffs := differ.DiffCleanupSemantic(differ.DiffMainRunes(spell(from, letters), spell(to, letters), false))
	at := make([]int, 0, len(from)+1)
	there := 0
	for _, d := range diffs {
		for range utf8.RuneCountInString(d.Text) {
			switch d.Type {
			case diffmatchpatch.DiffEqual:
				at = append(at, there)
				there++
			case diffmatchpatch.DiffDelete:
				at = append(at, -1)
			case diffmatchpatch.DiffInsert:
				there++
			}
		}
	}
	return append(at, there)
}

// spell writes a text with one letter for each word, because the library compares letters. They
// are the code points from 0 up: texts have far fewer words than there are code points below
// the surrogates, which no string can hold.
func spell(words []string, letters map[string]rune) []rune {
	spelled := make([]rune, len(words))
	for i, word := range words {
		letter, known := letters[word]
		if !known {
			letter = rune(len(letters))
			letters[word] = letter
		}
		spelled[i] = letter
	}
	return spelled
}
