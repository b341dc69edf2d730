package account_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestSignIn(t *testing.T) {
	t.Run("fault gives no worthless token", signInFaultGivesNoWorthlessToken)
	t.Run("ends the session that is older than the last fifty of its user", fiftySessionsLast)
}

func signInFaultGivesNoWorthlessToken(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		token, err := w.signIn(w.faulty, "ada", right)
		switch {
		case err == nil:
			w.mustBeSignedIn(token, "ada")
		case token != "" || !errors.Is(err, domain.ErrUnavailable):
			w.t.Errorf("told %v with the token %q", err, token)
		}
	})
}

func fiftySessionsLast(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		stranger, first, second := w.signedIn("grace", right), w.signedIn("ada", right), w.signedIn("ada", right)
		for range 48 {
			w.signedIn("ada", right)
		}
		w.mustBeSignedIn(first, "ada")
		link, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		linked, _, err := w.store.FollowSignInLink(t.Context(), link)
		w.ok(err)
		last := w.signedIn("ada", right)
		w.mustNotBeSignedIn(first)
		if _, err := w.store.SessionAhead(t.Context(), first, "ada")(); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("read ahead, the oldest session is answered %v", err)
		}
		for _, token := range []string{second, linked, last} {
			w.mustBeSignedIn(token, "ada")
		}
		w.mustBeSignedIn(stranger, "grace")
	})
}
