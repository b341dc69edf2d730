package templates

import (
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// diffTime limits the time to compare two texts. The part that is left then is
// shown as replaced: correct, but coarse.
const diffTime = 100 * time.Millisecond

// A comparison has two versions of a text as a list of changes between them.
type comparison []diffmatchpatch.Diff

// compare finds what only one of two texts has. It compares whole words, so that no
// word and no emoji is split.
func compare(from, to string) comparison {
	var words vocabulary
	before, after := words.spell(from), words.spell(to)
	differ := diffmatchpatch.New()
	differ.DiffTimeout = diffTime
	changes := differ.DiffCleanupSemantic(differ.DiffMainRunes(before, after, false))
	for i := range changes {
		changes[i].Text = words.read(changes[i].Text)
	}
	return changes
}

// A vocabulary gives each word a letter of its own, because the library compares
// letters. The letters are the code points from 0 up. Texts have far fewer words
// than there are code points below the surrogates, which no string can hold.
type vocabulary struct {
	words   []string
	letters map[string]rune
}

// spell writes a text with one letter for each word.
func (v *vocabulary) spell(text string) []rune {
	if v.letters == nil {
		v.letters = make(map[string]rune)
	}
	var spelled []rune
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		letter, known := v.letters[word]
		if !known {
			letter = rune(len(v.words))
			v.letters[word] = letter
			v.words = append(v.words, word)
		}
		spelled = append(spelled, letter)
	}
	return spelled
}

// read is the inverse of spell.
func (v *vocabulary) read(spelled string) string {
	var text strings.Builder
	for _, letter := range spelled {
		text.WriteString(v.words[letter])
	}
	return text.String()
}

// visible marks the ends of lines in a change, so that a reader sees the change
// even if only those differ.
func visible(text string) string { return strings.ReplaceAll(text, "\n", "↵\n") }
