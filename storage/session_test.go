package storage_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func (w *world) mustBeSignedIn(token string, as domain.UserName) {
	w.t.Helper()
	if session, err := w.store.Session(w.t.Context(), token); err != nil || session.User != as {
		w.t.Errorf("signed in as %q, %v; want %q", session.User, err, as)
	}
}

func (w *world) mustNotBeSignedIn(token string) {
	w.t.Helper()
	if session, err := w.store.Session(w.t.Context(), token); !errors.Is(err, domain.ErrNotSignedIn) {
		w.t.Errorf("still signed in as %q, %v", session.User, err)
	}
}

func TestSession(t *testing.T) {
	t.Run("token that nobody was given is no session", unknownTokenIsNoSession)
	t.Run("session ends with its time", sessionExpires)
	t.Run("sign-out ends one session alone", signOutEndsOneSession)
	t.Run("new epoch ends every session of its user", newEpochEndsAllSessions)
	t.Run("fault leaves no session that its user believes ended", endSessionsFaultLeavesNoSession)
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
		time.Sleep(storage.SessionLifetime - time.Nanosecond)
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
