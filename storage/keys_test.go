package storage_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"microblogging/domain"
)

func TestKeys(t *testing.T) {
	t.Run("every name makes a key that backends accept", everyNameMakesValidKey)
	t.Run("longest name fits in every table", bubble(longestNameFits))
}

// Every name that the domain accepts must be a valid key, alone and as a part of a
// longer key.
func everyNameMakesValidKey(t *testing.T) {
	w := newWorld(t)
	channels, letter := w.table("Channels"), rapid.RuneFrom([]rune("aZ9-_.ßéİΰևﷺ漢😀/#"), unicode.L, unicode.Nd)
	rapid.Check(t, func(rt *rapid.T) {
		name, err := domain.ParseChannelName(rapid.StringOfN(letter, 1, domain.MaxChannelName, -1).Draw(rt, "name"))
		if err != nil {
			rt.Skip(err)
		}
		key := string(name.Key())
		for _, row := range []string{key, key + "!" + string(domain.NewIncarnation())} {
			if _, err := channels.Get(t.Context(), key, row); !errors.Is(err, domain.ErrNotFound) {
				rt.Errorf("%q: partition %q, row %q: %v", name, key, row, err)
			}
		}
	})
}

// The longest key is of a name of 32 ligatures, each of which folds to two letters.
func longestNameFits(t *testing.T, w *world) {
	for _, name := range []string{strings.Repeat("և", 32), strings.Repeat("𐐀", 64)} {
		channel := w.create(name, ada)
		blog := w.post(channel, grace, "text")
		w.ask(channel)
		if _, err := w.store.Blog(t.Context(), channel.Ref(), blog.ID); err != nil {
			t.Error(err)
		}
		w.delete(channel)
	}
	w.mustBeSound()
}
