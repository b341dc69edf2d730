package account_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
)

func TestSession(t *testing.T) {
	t.Run("token that nobody was given is no session", unknownTokenIsNoSession)
	t.Run("session ends with its time", sessionExpires)
	t.Run("sign-out ends one session alone", signOutEndsOneSession)
	t.Run("new epoch ends every session of its user", newEpochEndsAllSessions)
	t.Run("of everybody end together, with links and addresses", everybodysSessionsEnd)
	t.Run("fault leaves no session that its user believes ended", endSessionsFaultLeavesNoSession)
	t.Run("fault of a sign-out leaves no session that its user believes ended", signOutFaultLeavesNoSession)
	t.Run("late copy of a request undoes no sign-out", lateCopyUndoesNoSignOut)
	t.Run("ended session is removed when its time has come", endedSessionIsRemoved)
}

func unknownTokenIsNoSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		for _, other := range []string{"", "x", token + "A", token[1:], "/\\#?'\x00", "\xff"} {
			w.mustNotBeSignedIn(other)
		}
		// What is stored in the table is no token either.
		for _, row := range w.rows("Sessions") {
			if row.Partition == token {
				t.Error("the token itself is stored")
			}
			w.mustNotBeSignedIn(row.Partition)
		}
	})
}

func sessionExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		time.Sleep(account.SessionLifetime - time.Nanosecond)
		w.mustBeSignedIn(token, "ada")
		time.Sleep(time.Nanosecond)
		w.mustNotBeSignedIn(token)
	})
}

func signOutEndsOneSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		one, two := w.signedIn("ada", right), w.signedIn("ada", right)
		for range 2 {
			w.ok(w.store.SignOut(t.Context(), one))
		}
		w.mustNotBeSignedIn(one)
		w.mustBeSignedIn(two, "ada")
	})
}

func newEpochEndsAllSessions(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		tokens := []string{w.signedIn("ada", right), w.signedIn("ada", right)}
		stranger := w.signedIn("grace", right)
		w.ok(w.store.EndSessions(t.Context(), "ada"))
		for _, token := range tokens {
			w.mustNotBeSignedIn(token)
		}
		w.mustBeSignedIn(stranger, "grace")
		w.mustBeSignedIn(w.signedIn("ada", right), "ada")
	})
}

func everybodysSessionsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		tokens := []string{w.signedIn("ada", right), w.signedIn("grace", right)}
		link, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		secret := w.digestAddress()
		if n, err := w.store.EndAllSessions(t.Context()); err != nil || n != 2 {
			t.Errorf("%d users (%v)", n, err)
		}
		for _, token := range tokens {
			w.mustNotBeSignedIn(token)
		}
		if _, _, err := w.store.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("the link: %v", err)
		}
		w.mustBeDigestAddress(secret, false)
		w.mustBeSignedIn(w.signedIn("ada", right), "ada")
	})
}

func endSessionsFaultLeavesNoSession(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		if err := w.faulty.EndSessions(w.t.Context(), "ada"); err == nil {
			w.mustNotBeSignedIn(token)
		} else if !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		w.mustBeSignedIn(w.signedIn("ada", right), "ada")
	})
}

func signOutFaultLeavesNoSession(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		if err := w.faulty.SignOut(w.t.Context(), token); err == nil {
			w.mustNotBeSignedIn(token)
		} else if !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
	})
}

// Each call of a sign-in, of a change of the password and of a sign-out arrives once more
// after the user signed out.
func lateCopyUndoesNoSignOut(t *testing.T) {
	for name, between := range map[string]func(w *world, token string){
		"after signing in": func(*world, string) {},
		"after changing the password": func(w *world, token string) {
			_ = w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "another horse") // it may fail
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachLateDelivery(t, func(w *world, arrive func()) {
				w.account("ada")
				token, err := w.signIn(w.faulty, "ada", right)
				if err != nil {
					return // then nobody has the token
				}
				between(w, token)
				_ = w.faulty.SignOut(w.t.Context(), token) // it may fail
				w.ok(w.store.SignOut(w.t.Context(), token))
				arrive()
				w.mustNotBeSignedIn(token)
			})
		})
	}
}

func endedSessionIsRemoved(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		w.ok(w.store.SignOut(t.Context(), token))
		time.Sleep(account.SessionLifetime + expiryMargin)
		_, err := w.store.Expire(t.Context())
		w.ok(err)
		if rows := w.rows("Sessions"); len(rows) != 0 {
			t.Errorf("%d rows are left", len(rows))
		}
	})
}
