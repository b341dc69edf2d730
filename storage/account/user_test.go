package account_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestDigestAddress(t *testing.T) {
	t.Run("address works until it is replaced, revoked or the password changes", digestAddressEnds)
}

func (w *world) mustBeDigestAddress(secret string, want bool) {
	w.t.Helper()
	err := w.store.CheckDigestAddress(w.t.Context(), "ada", secret)
	if err != nil && !errors.Is(err, domain.ErrNotFound) || (err == nil) != want {
		w.t.Errorf("the secret works: %v, want %t", err, want)
	}
}

func (w *world) digestAddress() string {
	w.t.Helper()
	secret, err := w.store.NewDigestAddress(w.t.Context(), "ada")
	w.ok(err)
	return secret
}

func digestAddressEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		first := w.digestAddress()
		w.mustBeDigestAddress(first, true)
		second := w.digestAddress()
		w.mustBeDigestAddress(first, false)
		w.mustBeDigestAddress(second, true)
		for range 2 {
			w.ok(w.store.RevokeDigestAddress(t.Context(), "ada"))
		}
		w.mustBeDigestAddress(second, false)
		third := w.digestAddress()
		w.ok(w.store.EndSessions(t.Context(), "ada"))
		w.mustBeDigestAddress(third, true)
		w.ok(w.store.ChangePassword(t.Context(), w.signedIn("ada", right), attempt("ada", right), "another horse"))
		w.mustBeDigestAddress(third, false)
		if has, err := w.store.HasDigestAddress(t.Context(), "ada"); err != nil || has {
			t.Errorf("the user has an address: %t, %v", has, err)
		}
		w.mustBeDigestAddress("", false)
		if err := w.store.RevokeDigestAddress(t.Context(), "nobody"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("an unknown user: %v", err)
		}
	})
}
