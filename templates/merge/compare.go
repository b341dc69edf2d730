package merge

import (
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// diffTime limits the time to compare two texts. The part that is left then is
// replaced: correct, but coarse.
const diffTime = 100 * time.Millisecond

// A Kind is what became of a piece of a text.
type Kind int

const (
	// Same is in both texts.
	Same Kind = iota
	// Removed is only in the first.
	Removed
	// Added is only in the second.
	Added
)

// A Change is a piece of one or of both of two texts.
type Change struct {
	Kind Kind
	Text string
}

// Compare returns the pieces of two texts in their order. It compares whole words, so that
// no word and no emoji is split.
func Compare(from, to string) []Change {
	var words vocabulary
	diffs := words.diff(words.spell(from), words.spell(to))
	changes := make([]Change, len(diffs))
	for i, d := range diffs {
		changes[i] = Change{kindOf(d.Type), words.read([]rune(d.Text))}
	}
	return changes
}

func kindOf(operation diffmatchpatch.Operation) Kind {
	switch operation {
	case diffmatchpatch.DiffDelete:
		return Removed
	case diffmatchpatch.DiffInsert:
		return Added
	}
	return Same
}

// A vocabulary gives each word a letter of its own, because the library compares
// letters. The letters are the code points from 0 up. Texts have far fewer words
// than there are code points below the surrogates, which no string can hold.
type vocabulary struct {
	words   []string
	letters map[string]rune
}

func (v *vocabulary) diff(from, to []rune) []diffmatchpatch.Diff {
	differ := diffmatchpatch.New()
	differ.DiffTimeout = diffTime
	return differ.DiffCleanupSemantic(differ.DiffMainRunes(from, to, false))
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
func (v *vocabulary) read(spelled []rune) string {
	var text strings.Builder
	for _, letter := range spelled {
		text.WriteString(v.words[letter])
	}
	return text.String()
}
