package account_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// The lab explores sign-up, links, sign-outs, guesses, expiry and changes of a password, with calls
// that are lost, repeated and late. Here is what none of its invariants says.

// TestAccountFaults lets each call never arrive, lose its reply, and be sent twice.
func TestAccountFaults(t *testing.T) {
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name+": sign-in gives no worthless token", func(w *world, n int) {
			w.user("ada")
			w.Arm(fault.At(n))
			token, err := w.signIn(w.Faulty, "ada", right)
			if err == nil {
				w.mustBeSignedIn(token, "ada")
			} else if token != "" || !errors.Is(err, domain.ErrUnavailable) {
				w.T.Errorf("told %v with the token %q", err, token)
			}
		})
		eachCall(t, fault.Name+": change of a password locks no user out", func(w *world, n int) {
			w.user("ada")
			token, other := w.signedIn("ada", right), w.signedIn("ada", right)
			w.Arm(fault.At(n))
			err := w.Faulty.Accounts.ChangePassword(w.T.Context(), token, attempt("ada", right), "another horse")
			w.mustHaveOnePassword(token, other, err)
		})
	}
}

// mustHaveOnePassword checks that exactly one of the two passwords works, and that it is the
// new one if the change was acknowledged. Then the session of the change alone goes on.
func (w *world) mustHaveOnePassword(own, other string, err error) {
	w.T.Helper()
	_, oldErr := w.signIn(w.Store, "ada", right)
	_, newErr := w.signIn(w.Store, "ada", "another horse")
	switch {
	case (oldErr == nil) == (newErr == nil):
		w.T.Errorf("the old password: %v; the new one: %v", oldErr, newErr)
	case err == nil && newErr != nil:
		w.T.Errorf("told that the password is changed, and the new one: %v", newErr)
	case err != nil && !errors.Is(err, domain.ErrUnavailable):
		w.T.Errorf("told %v", err)
	}
	if err == nil {
		w.mustBeSignedIn(own, "ada")
	}
	if newErr == nil {
		w.mustNotBeSignedIn(other)
	}
}

// A thief signs in with the old password. The user's own change is acknowledged before any call of
// the thief's. What the thief gets then is no session.
func TestOldPassword(t *testing.T) {
	eachCall(t, "comes after a change of the password", func(w *world, n int) {
		w.user("ada")
		own := w.signedIn("ada", right)
		changed := errors.New("not yet")
		w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq == n {
				changed = w.Store.Accounts.ChangePassword(ctx, own, attempt("ada", right), "another horse")
			}
			return send(ctx)
		})
		token, err := w.signIn(w.Faulty, "ada", right)
		if changed != nil {
			return // the thief was first
		}
		if err != nil && !errors.Is(err, domain.ErrNotSignedIn) {
			w.T.Error(err)
		}
		w.mustNotBeSignedIn(token)
		w.mustBeSignedIn(own, "ada")
	})
}
