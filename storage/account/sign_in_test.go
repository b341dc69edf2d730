package account_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
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

func TestPassword(t *testing.T) {
	t.Run("change ends every other session", passwordChangeEndsOtherSessions)
	t.Run("refused change changes nothing", refusedPasswordChangeChangesNothing)
	t.Run("that no new account may have works until it is changed", commonPasswordWorks)
	t.Run("fault does not lock the user out", passwordFaultLocksNobodyOut)
	t.Run("what the old password gave ends with it", oldPasswordGivesNothing)
	t.Run("echo of a change ends with a later epoch", passwordEchoEndsWithLaterEpoch)
}

func passwordChangeEndsOtherSessions(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		own, other, stranger := w.signedIn("ada", right), w.signedIn("ada", right), w.signedIn("grace", right)
		w.ok(w.store.ChangePassword(t.Context(), own, attempt("ada", right), "another horse"))
		w.mustBeSignedIn(own, "ada")
		w.mustBeSignedIn(stranger, "grace")
		w.mustNotBeSignedIn(other)
		if _, err := w.signIn(w.store, "ada", right); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("the old password: %v", err)
		}
		w.signedIn("ada", "another horse")
	})
}

func refusedPasswordChangeChangesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		own := w.signedIn("ada", right)
		for field, change := range map[string][2]string{"old": {wrong, "another horse"}, "new": {right, "password123"}} {
			err := w.store.ChangePassword(t.Context(), own, attempt("ada", change[0]), change[1])
			var invalid *domain.InvalidError
			if !errors.As(err, &invalid) || invalid.Fields[0].Field != field {
				t.Errorf("changed from %q to %q: %v, want an InvalidError on %s", change[0], change[1], err, field)
			}
		}
		w.mustBeSignedIn(own, "ada")
		w.signedIn("ada", right)
	})
}

// Earlier versions accepted it.
func commonPasswordWorks(t *testing.T) {
	const common = "Qwertyuiop"
	inBubble(t, func(t *testing.T, w *world) {
		w.ok(w.table("Users").Transact(t.Context(), "ada", driver.Insert("", driver.String("Password", cheapHash(common)))))
		w.ok(w.store.ChangePassword(t.Context(), w.signedIn("ada", common), attempt("ada", common), right))
		w.signedIn("ada", right)
		if _, err := w.store.SignUp(t.Context(), "grace", common); !errors.As(err, new(*domain.InvalidError)) {
			t.Errorf("a new account has it: %v", err)
		}
	})
}

// Whatever fault a call has, exactly one of the two passwords works. If the change was
// acknowledged, it is the new one.
func passwordFaultLocksNobodyOut(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		own, other := w.signedIn("ada", right), w.signedIn("ada", right)
		err := w.faulty.ChangePassword(w.t.Context(), own, attempt("ada", right), "another horse")
		_, oldErr := w.signIn(w.store, "ada", right)
		_, newErr := w.signIn(w.store, "ada", "another horse")
		switch {
		case (oldErr == nil) == (newErr == nil):
			w.t.Errorf("the old password: %v; the new one: %v", oldErr, newErr)
		case err == nil && newErr != nil:
			w.t.Errorf("told that the password is changed, and the new one: %v", newErr)
		case err != nil && !errors.Is(err, domain.ErrUnavailable):
			w.t.Errorf("told %v", err)
		}
		if err == nil {
			w.mustBeSignedIn(own, "ada")
		}
		if newErr == nil {
			w.mustNotBeSignedIn(other)
		}
	})
}

// A thief knows the old password. The user's own change is acknowledged before any call
// of the thief's request. What the thief gets then is no session.
func oldPasswordGivesNothing(t *testing.T) {
	for what, steal := range map[string]func(w *world) (token string, err error){
		"of a sign-in": func(w *world) (string, error) { return w.signIn(w.faulty, "ada", right) },
		"of another change": func(w *world) (string, error) {
			token := w.signedIn("ada", right)
			return token, w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "thief's horse")
		},
	} {
		eachCall(t, what+" is overtaken", func(w *world, n int) {
			w.account("ada")
			own := w.signedIn("ada", right)
			changeErr := errors.New("not yet")
			w.arm(before(n, func() {
				changeErr = w.store.ChangePassword(w.t.Context(), own, attempt("ada", right), "another horse")
			}))
			token, err := steal(w)
			if changeErr != nil {
				return // the thief was first
			}
			var invalid *domain.InvalidError
			if err != nil && !errors.Is(err, domain.ErrNotSignedIn) && !errors.As(err, &invalid) {
				w.t.Error(err)
			}
			w.mustNotBeSignedIn(token)
			w.mustBeSignedIn(own, "ada")
			w.signedIn("ada", "another horse")
		})
	}
}

// A change begins one epoch, even if its reply is lost. If another request begins a
// later epoch meanwhile, the session that the change carries over ends.
func passwordEchoEndsWithLaterEpoch(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		ofUsers := func(call drivertest.Call) bool { return call.Writes() && call.Target == "Users" }
		w.arm(drivertest.Only(ofUsers, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			_ = send(ctx) // the answer that is lost
			w.ok(w.store.EndSessions(ctx, "ada"))
			return send(ctx)
		}))
		w.ok(w.faulty.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"))
		w.mustNotBeSignedIn(token)
		w.signedIn("ada", "another horse")
	})
}
