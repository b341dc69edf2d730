package account_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestDigestAddress(t *testing.T) {
	t.Run("address works until it is replaced, revoked or the password changes", digestAddressEnds)
	t.Run("fault leaves the address that its user was told", digestAddressFault)
	t.Run("late copy of a request revives no revoked secret", lateCopyRevivesNoSecret)
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

func digestAddressFault(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		secret, err := w.faulty.NewDigestAddress(w.t.Context(), "ada")
		if err == nil {
			w.mustBeDigestAddress(secret, true)
		}
		if err := w.faulty.RevokeDigestAddress(w.t.Context(), "ada"); err == nil {
			w.mustBeDigestAddress(secret, false)
		}
	})
}

func lateCopyRevivesNoSecret(t *testing.T) {
	for what, end := range map[string]func(w *world) error{
		"revoked": func(w *world) error { return w.store.RevokeDigestAddress(w.t.Context(), "ada") },
		"changed the password": func(w *world) error {
			return w.store.ChangePassword(w.t.Context(), w.signedIn("ada", right), attempt("ada", right), "another horse")
		},
	} {
		t.Run(what, func(t *testing.T) {
			eachLateDelivery(t, func(w *world, arrive func()) {
				w.account("ada")
				secret, err := w.faulty.NewDigestAddress(w.t.Context(), "ada")
				w.ok(end(w))
				arrive()
				if has, hasErr := w.store.HasDigestAddress(w.t.Context(), "ada"); hasErr != nil || has {
					w.t.Errorf("there is an address after its end: %t, %v", has, hasErr)
				}
				if err == nil {
					w.mustBeDigestAddress(secret, false)
				}
			})
		})
	}
}
