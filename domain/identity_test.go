package domain_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
)

func TestBlogID(t *testing.T) {
	t.Run("is read as it was minted and sorts newest first", blogIDIsReadAsItWasMintedAndSortsNewestFirst)
	t.Run("that was not minted names nothing", iDThatNobodyMintedNamesNothing)
}

func blogIDIsReadAsItWasMintedAndSortsNewestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		older, newer := instants().Draw(t, "a"), instants().Draw(t, "b")
		if newer.Before(older) {
			older, newer = newer, older
		}
		a, b := domain.NewBlogID(older), domain.NewBlogID(newer)
		if domain.Storable(newer).After(domain.Storable(older)) && a <= b {
			t.Errorf("%s of %s does not sort after %s of %s", a, older, b, newer)
		}
		if back, err := domain.ParseBlogID(string(a)); err != nil || back != a {
			t.Errorf("%s is read as %s, %v", a, back, err)
		}
	})
}

func iDThatNobodyMintedNamesNothing(t *testing.T) {
	good := string(domain.NewBlogID(time.Now()))
	digits, token, _ := strings.Cut(good, "!")
	for _, s := range []string{
		"", "!", digits, digits + "!", "!" + token, good + "A", good[1:], strings.ToLower(good), good + "!", "+" + good[1:],
		digits + "!" + strings.Repeat("1", 26), digits + "!../../../../../../../../..", "-000000000000000000!" + token,
		"9999999999999999999!" + token, digits + "/" + token, good + "\n",
	} {
		if id, err := domain.ParseBlogID(s); !errors.Is(err, domain.ErrNotFound) || id != "" {
			t.Errorf("%q is read as %q, %v", s, id, err)
		}
	}
	for _, s := range []string{"", token[1:], token + "A", strings.ToLower(token), strings.Repeat("0", 26), strings.Repeat("é", 13)} {
		if i, err := domain.ParseIncarnation(s); !errors.Is(err, domain.ErrNotFound) || i != "" {
			t.Errorf("%q is read as the incarnation %q, %v", s, i, err)
		}
	}
	if i, err := domain.ParseIncarnation(token); err != nil || string(i) != token {
		t.Errorf("%q is read as %q, %v", token, i, err)
	}
}
