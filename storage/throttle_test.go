package storage_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

// limit is how many wrong passwords a user is looked at with, within window.
const (
	limit        = 10
	addressLimit = 50
	window       = 15 * time.Minute
)

// fail tries wrong passwords until the store no longer looks, and counts them.
func (w *world) fail(s *storage.Store, name string, most int) (looks int) {
	w.t.Helper()
	for range most {
		_, err := w.signIn(s, name, wrong)
		var throttled *domain.ThrottledError
		if errors.As(err, &throttled) {
			return looks
		}
		if !errors.Is(err, domain.ErrNotSignedIn) {
			w.t.Fatal(err)
		}
		looks++
	}
	return looks
}

func (w *world) mustBeThrottled(s *storage.Store, a storage.Attempt) {
	w.t.Helper()
	_, _, err := s.SignIn(w.t.Context(), a)
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) || throttled.RetryAfter <= 0 || throttled.RetryAfter > window {
		w.t.Errorf("%s from %s is answered %v, want throttled", a.Name, a.Address, err)
	}
}

func TestThrottle(t *testing.T) {
	t.Run("too many failures are throttled until the window passes", tooManyFailuresAreThrottled)
	t.Run("success is not counted", successIsNotCounted)
	t.Run("address that tries many names is throttled", addressIsThrottled)
	t.Run("unknown name is throttled alike", unknownNameIsThrottled)
	t.Run("many at once cannot outrun the count", manyCannotOutrunCount)
	t.Run("fault never lowers the count", throttleFaultNeverLowersCount)
	t.Run("late request lowers no count", lateRequestLowersNoCount)
}

func tooManyFailuresAreThrottled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		token := w.signedIn("ada", right)
		if looks := w.fail(w.store, "ada", 20); looks != limit {
			t.Errorf("%d wrong passwords were looked at, want %d", looks, limit)
		}
		other := storage.New(w.db, w.db) // another web process
		for _, s := range []*storage.Store{w.store, other} {
			w.mustBeThrottled(s, attempt("ada", right))
			w.mustBeThrottled(s, attempt("ADA", right))
			w.mustBeThrottled(s, storage.Attempt{Name: "ada", Password: right, Address: "2001:db8::1"})
			if err := s.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"); !isThrottled(err) {
				t.Errorf("changing the password is answered %v", err)
			}
		}
		w.signedIn("grace", right) // from the same address
		_, _, err := w.store.SignIn(t.Context(), attempt("ada", right))
		var throttled *domain.ThrottledError
		if !errors.As(err, &throttled) {
			t.Fatal(err)
		}
		time.Sleep(throttled.RetryAfter - time.Nanosecond)
		w.mustBeThrottled(w.store, attempt("ada", right))
		time.Sleep(time.Nanosecond)
		w.signedIn("ada", right)
		if looks := w.fail(w.store, "ada", 20); looks != limit {
			t.Errorf("%d wrong passwords were looked at in the next window, want %d", looks, limit)
		}
	})
}

func isThrottled(err error) bool {
	var throttled *domain.ThrottledError
	return errors.As(err, &throttled)
}

func successIsNotCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		for range 2 * addressLimit {
			w.signedIn("ada", right)
		}
		if looks := w.fail(w.store, "ada", limit-1); looks != limit-1 {
			t.Fatalf("%d wrong passwords were looked at", looks)
		}
		w.signedIn("ada", right)
		w.signedIn("ada", right)
		if looks := w.fail(w.store, "ada", limit); looks != 1 {
			t.Errorf("%d more wrong passwords were looked at, want 1", looks)
		}
	})
}

func addressIsThrottled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		for i := range addressLimit { // no user can be called so
			if looks := w.fail(w.store, fmt.Sprintf("no name %d", i), 1); looks != 1 {
				t.Fatalf("name %d is throttled", i)
			}
		}
		w.mustBeThrottled(w.store, attempt("ada", right))
		w.mustBeThrottled(w.store, attempt("no name", right))
		elsewhere := attempt("ada", right)
		elsewhere.Address = "192.0.2.2"
		if _, _, err := w.store.SignIn(t.Context(), elsewhere); err != nil {
			t.Errorf("from another address: %v", err)
		}
		// What the address is refused is not held against the name.
		for range 2 * limit {
			w.mustBeThrottled(w.store, attempt("ada", right))
		}
		if _, _, err := w.store.SignIn(t.Context(), elsewhere); err != nil {
			t.Errorf("from another address, later: %v", err)
		}
	})
}

func unknownNameIsThrottled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		if looks := w.fail(w.store, "nobody", 20); looks != limit {
			t.Errorf("%d wrong passwords were looked at, want %d", looks, limit)
		}
	})
}

func manyCannotOutrunCount(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		stores := []*storage.Store{w.store, storage.New(w.db, w.db)}
		var looks atomic.Int64
		atOnce(40, func(i int) {
			_, err := w.signIn(stores[i%2], "ada", wrong)
			switch {
			case errors.Is(err, domain.ErrNotSignedIn):
				looks.Add(1)
			case !isThrottled(err):
				t.Error(err)
			}
		})
		if n := looks.Load(); n != limit {
			t.Errorf("%d wrong passwords were looked at, want %d", n, limit)
		}
	})
}

// Whatever befalls a sign-in, it gives nobody another guess.
func throttleFaultNeverLowersCount(t *testing.T) {
	const before = limit / 2
	for what, password := range map[string]string{"right": right, "wrong": wrong} {
		t.Run("of a "+what+" password", func(t *testing.T) {
			eachMishap(t, func(w *world) {
				w.account("ada")
				w.fail(w.store, "ada", before)
				_, err := w.signIn(w.faulty, "ada", password)
				if err != nil && !errors.Is(err, domain.ErrUnavailable) && !errors.Is(err, domain.ErrNotSignedIn) {
					w.t.Error(err)
				}
				if looks := w.fail(w.store, "ada", limit); looks > limit-before {
					w.t.Errorf("%d more wrong passwords were looked at, want at most %d", looks, limit-before)
				}
			})
		})
	}
}

func lateRequestLowersNoCount(t *testing.T) {
	eachStraggler(t, func(w *world, late *drivertest.Straggler) {
		w.account("ada")
		w.fail(w.store, "ada", limit/2)
		_, _ = w.signIn(w.faulty, "ada", right) // whatever it answers
		looks := w.fail(w.store, "ada", 2)
		w.arrive(late)
		if looks += w.fail(w.store, "ada", limit); looks > limit-limit/2 {
			w.t.Errorf("%d more wrong passwords were looked at", looks)
		}
	})
}
