package account_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

// A trial is an operation, some of whose calls go wrong, and what must hold then. No scenario
// of the lab has these operations. It explores links, sign-outs and addresses of digests.
type trial struct {
	name string
	// try prepares the world, and makes the calls of the operation on the faulty side.
	try func(w *world) error
	// hold judges the world, and what the operation returned.
	hold func(w *world, err error)
}

// TestFaults lets each call of each operation never arrive, lose its reply, and be sent twice.
func TestFaults(t *testing.T) {
	faults := map[string]func(n int) drivertest.Hook{
		"never arrives": drivertest.FailBefore, "loses its reply": drivertest.FailAfter, "is sent twice": drivertest.SentTwice,
	}
	for _, trial := range trials() {
		for what, at := range faults {
			eachCall(t, trial.name, what, func(w *world, n int) {
				w.arm(at(n))
				err := trial.try(w)
				trial.hold(w, err)
			})
		}
	}
}

// eachCall runs a test with n = 1, 2, 3 and so on, the number of a call on the faulty side,
// until fewer calls are made.
func eachCall(t *testing.T, sentence, what string, test func(w *world, n int)) {
	t.Helper()
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("%s/call %d %s", sentence, n, what), bubble(func(_ *testing.T, w *world) {
			last = true // even if the test ends early
			test(w, n)
			last = int(w.calls.Load()) < n
		}))
	}
}

func trials() []trial {
	token, other := "", ""
	list := []trial{
		{"sign-in gives no worthless token", func(w *world) (err error) {
			w.account("ada")
			token, err = w.signIn(w.faulty, "ada", right)
			return err
		}, func(w *world, err error) {
			if err == nil {
				w.mustBeSignedIn(token, "ada")
			} else if token != "" || !errors.Is(err, domain.ErrUnavailable) {
				w.t.Errorf("told %v with the token %q", err, token)
			}
		}},
		{"change of a password locks nobody out", func(w *world) error {
			w.account("ada")
			token, other = w.signedIn("ada", right), w.signedIn("ada", right)
			return w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "another horse")
		}, func(w *world, err error) { w.mustHaveOnePassword(token, other, err) }},
		{"sign-up keeps the name for whoever asks again", func(w *world) error {
			_, _, err := w.faulty.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: attempt("ada", right), Key: "k"})
			return err
		}, func(w *world, err error) {
			if again := w.withKey(attempt("ada", right)); again != nil || err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.t.Errorf("told %v, and then %v", err, again)
			}
			w.signedIn("ada", right)
		}},
		{"sign-up takes a key that has been free for a day", func(w *world) error {
			w.ok(w.withKey(from(0, "ada", right)))
			time.Sleep(24 * time.Hour) // and no pass has removed its row
			_, _, err := w.faulty.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: from(0, "grace", right), Key: "k"})
			return err
		}, func(w *world, err error) {
			if err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.t.Errorf("after a day: %v", err)
			}
			w.ok(w.withKey(from(0, "grace", right)))
			if err := w.withKey(from(0, "eve", right)); !errors.Is(err, domain.ErrKeyReused) {
				w.t.Errorf("the key for a third name: %v", err)
			}
		}},
		{"removal of what has ended is repeated", func(w *world) error {
			w.ended(3)
			_, err := w.faulty.Expire(w.t.Context())
			return err
		}, func(w *world, err error) {
			if w.expire(); len(w.rows("Throttle")) != 0 || err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.t.Errorf("told %v, and %d rows are left", err, len(w.rows("Throttle")))
			}
		}},
	}
	for what, password := range map[string]string{"right": right, "wrong": wrong} {
		list = append(list, trial{"sign-in with a " + what + " password gives nobody another guess", func(w *world) error {
			w.account("ada")
			w.fail(w.store, "ada", limit/2)
			_, err := w.signIn(w.faulty, "ada", password)
			return err
		}, func(w *world, err error) {
			if err != nil && !errors.Is(err, domain.ErrUnavailable) && !errors.Is(err, domain.ErrNotSignedIn) {
				w.t.Error(err)
			}
			if checked := w.fail(w.store, "ada", limit); checked > limit-limit/2 {
				w.t.Errorf("%d more wrong passwords were checked, want at most %d", checked, limit-limit/2)
			}
		}})
	}
	return list
}

// mustHaveOnePassword checks that exactly one of the two passwords works, and that it is the
// new one if the change was acknowledged. Then the session of the change alone goes on.
func (w *world) mustHaveOnePassword(own, other string, err error) {
	w.t.Helper()
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
}

// TestLateCopy delivers a copy of each call once more when the operation is over. The call
// itself was answered, or its answer was lost, or it did not arrive.
func TestLateCopy(t *testing.T) {
	first := map[string]func(n int) drivertest.Hook{
		"arrives": func(int) drivertest.Hook { return drivertest.Pass }, "loses its reply": drivertest.FailAfter, "never arrives": drivertest.FailBefore,
	}
	for sentence, test := range map[string]func(w *world, arrive func()){
		"lowers no count of wrong passwords": func(w *world, arrive func()) {
			w.account("ada")
			w.fail(w.store, "ada", limit/2)
			_, _ = w.signIn(w.faulty, "ada", right) // whatever it answers
			checked := w.fail(w.store, "ada", 2)
			arrive()
			if checked += w.fail(w.store, "ada", limit); checked > limit-limit/2 {
				w.t.Errorf("%d more wrong passwords were checked", checked)
			}
		},
		"of a change of the password, or of a sign-out, undoes no sign-out": func(w *world, arrive func()) {
			w.account("ada")
			token := w.signedIn("ada", right)
			_ = w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "another horse") // it may fail
			_ = w.faulty.SignOut(w.t.Context(), token)                                                // it may fail
			w.ok(w.store.SignOut(w.t.Context(), token))
			arrive()
			w.mustNotBeSignedIn(token)
		},
	} {
		for what, at := range first {
			eachCall(t, sentence, what+", and arrives late", func(w *world, n int) {
				hook, late := drivertest.ResentLater(n, at(n))
				w.arm(hook)
				test(w, func() {
					if _, err := late.Arrive(w.t.Context()); err != nil {
						w.t.Logf("the late request is refused: %v", err)
					}
				})
			})
		}
	}
}

// TestOldPassword has a thief who knows the old password. The user's own change is acknowledged
// before any call of the thief's request. What the thief gets then is no session.
func TestOldPassword(t *testing.T) {
	for what, steal := range map[string]func(w *world) (token string, err error){
		"of a sign-in": func(w *world) (string, error) { return w.signIn(w.faulty, "ada", right) },
		"of another change": func(w *world) (string, error) {
			token := w.signedIn("ada", right)
			return token, w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "thief's horse")
		},
	} {
		eachCall(t, "gives nothing", what+" is overtaken", func(w *world, n int) {
			w.account("ada")
			own := w.signedIn("ada", right)
			changed := errors.New("not yet")
			w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Seq == n {
					changed = w.store.ChangePassword(ctx, own, attempt("ada", right), "another horse")
				}
				return send(ctx)
			})
			token, err := steal(w)
			if changed != nil {
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
