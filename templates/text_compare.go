package templates

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// diffTime bounds how long two texts are compared. What is left then is shown as
// replaced whole, which is true, if not helpful.
const diffTime = 100 * time.Millisecond

// A comparison is two versions of a text, word by word.
type comparison []diffmatchpatch.Diff

// compare finds what was taken from one text and what was put in to make the
// other. It compares whole words, so that no word and no emoji is torn.
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

// A vocabulary gives each word a letter of its own, since the library compares
// letters. Texts have far fewer words than there are letters below the
// surrogates, which no string can hold.
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

// before renders the version that was compared from, with what the other one
// lacks in <del>.
func (c comparison) before() templ.Component {
	return c.side(diffmatchpatch.DiffDelete, "<del>", "</del>")
}

// after renders the version that was compared to, with what the other one lacks
// in <ins>.
func (c comparison) after() templ.Component {
	return c.side(diffmatchpatch.DiffInsert, "<ins>", "</ins>")
}

// side renders what both versions have and what is its own of one of them.
func (c comparison) side(own diffmatchpatch.Operation, open, shut string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b []byte
		for _, change := range c {
			switch change.Type {
			case diffmatchpatch.DiffEqual:
				b = appendEscaped(b, change.Text)
			case own:
				b = append(b, open...)
				b = appendVisible(b, change.Text)
				b = append(b, shut...)
			}
		}
		_, err := w.Write(b)
		return err
	})
}

// appendVisible appends a change such that a reader sees it even if all that
// changed is where lines end.
func appendVisible(b []byte, text string) []byte {
	for line := range strings.Lines(text) {
		words, ended := strings.CutSuffix(line, "\n")
		b = appendEscaped(b, words)
		if ended {
			b = append(b, "↵\n"...)
		}
	}
	return b
}
