package account_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

const (
	// limit is how many wrong passwords are checked within a window for one user from
	// one address, or for one user who has a session.
	limit = 10
	// strangersLimit is how many are checked for one user from all addresses that are
	// not known.
	strangersLimit = 50
	// addressLimit is how many are checked for one address.
	addressLimit = 50
	window       = 15 * time.Minute
	// known is how long an address is known.
	known = 30 * 24 * time.Hour
)

// fail tries up to most wrong passwords, until the store refuses to check them. It
// returns how many were checked.
func (w *world) fail(s *account.Accounts, name string, most int) (checked int) {
	w.t.Helper()
	return w.failWith(s, attempt(name, wrong), most)
}

// failFrom is like fail, from an address.
func (w *world) failFrom(s *account.Accounts, address int, name string, most int) (checked int) {
	w.t.Helper()
	return w.failWith(s, from(address, name, wrong), most)
}

func (w *world) failWith(s *account.Accounts, a account.Attempt, most int) (checked int) {
	w.t.Helper()
	for ; checked < most; checked++ {
		if _, _, err := s.SignIn(w.t.Context(), a); isThrottled(err) {
			break
		} else if !errors.Is(err, domain.ErrNotSignedIn) {
			w.t.Fatal(err)
		}
	}
	return checked
}

// strangers guess at a name from many addresses until no guess is checked any more, and
// return how many were.
func (w *world) strangers(name string) (checked int) {
	w.t.Helper()
	for address := range 2 * strangersLimit / limit {
		checked += w.failFrom(w.store, address, name, 2*limit)
	}
	return checked
}

func (w *world) mustBeThrottled(s *account.Accounts, a account.Attempt) {
	w.t.Helper()
	_, _, err := s.SignIn(w.t.Context(), a)
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) || throttled.RetryAfter <= 0 || throttled.RetryAfter > window {
		w.t.Errorf("%s from %s is answered %v, want throttled", a.Name, a.Address, err)
	}
}

func TestThrottle(t *testing.T) {
	t.Run("many at once, in two processes, cannot outrun the count", manyCannotOutrunCount)
	t.Run("too many failures are throttled until the window passes", tooManyFailuresAreThrottled)
	t.Run("success is not counted", successIsNotCounted)
	t.Run("many right passwords at once are not refused", manyRightAreNotRefused)
	t.Run("password that waited is not compared once the limit is reached", waitingIsRefusedAtLimit)
	t.Run("guess counts though its client has left", guessOfWhoLeftCounts)
	t.Run("address that tries many names is throttled", addressIsThrottled)
	t.Run("refused attempt writes nothing", refusedAttemptWritesNothing)
	t.Run("strangers together have a limit for each user", strangersHaveLimit)
	t.Run("strangers do not lock out a known address", strangersSpareKnownAddress)
	t.Run("address is known for 30 days after a sign-in", addressIsKnownForAWhile)
	t.Run("clock that was ahead locks nobody out, and makes no address known", clockAheadIsNotBelieved)
	t.Run("strangers do not lock out a session", strangersSpareSession)
	t.Run("guessing with a session has a limit", sessionHasLimit)
	t.Run("fault never lowers the count", throttleFaultNeverLowersCount)
	t.Run("late request lowers no count", lateRequestLowersNoCount)
}

func tooManyFailuresAreThrottled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		w.signedIn("ada", right)
		if checked := w.fail(w.store, "ada", 20); checked != limit {
			t.Errorf("%d wrong passwords were checked, want %d", checked, limit)
		}
		other := w.other() // another web process
		for _, s := range []*account.Accounts{w.store, other} {
			w.mustBeThrottled(s, attempt("ada", right))
			w.mustBeThrottled(s, attempt("ADA", right))
		}
		w.signedIn("grace", right) // from the same address
		if _, _, err := w.store.SignIn(t.Context(), from(2, "ada", right)); err != nil {
			t.Errorf("from another address: %v", err)
		}
		_, _, err := w.store.SignIn(t.Context(), attempt("ada", right))
		var throttled *domain.ThrottledError
		if !errors.As(err, &throttled) {
			t.Fatal(err)
		}
		time.Sleep(throttled.RetryAfter - time.Nanosecond)
		w.mustBeThrottled(w.store, attempt("ada", right))
		time.Sleep(time.Nanosecond)
		w.signedIn("ada", right)
		if checked := w.fail(w.store, "ada", 20); checked != limit {
			t.Errorf("%d wrong passwords were checked in the next window, want %d", checked, limit)
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
		if checked := w.fail(w.store, "ada", limit-1); checked != limit-1 {
			t.Fatalf("%d wrong passwords were checked", checked)
		}
		w.signedIn("ada", right)
		w.signedIn("ada", right)
		if checked := w.fail(w.store, "ada", limit); checked != 1 {
			t.Errorf("%d more wrong passwords were checked, want 1", checked)
		}
	})
}

func manyRightAreNotRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		first, second := busy(t, w.store.HashSignIn), busy(t, w.store.HashSignIn)
		time.AfterFunc(time.Second, func() { first(); second() })
		atOnce(24, func(int) {
			if _, err := w.signIn(w.store, "ada", right); err != nil {
				t.Error(err)
			}
		})
	})
}

// Attempts that wait for each other have all been admitted.
func waitingIsRefusedAtLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		for address := range strangersLimit - 1 {
			w.failFrom(w.store, address, "ada", 1)
		}
		first, second := busy(t, w.store.HashSignIn), busy(t, w.store.HashSignIn)
		var waiting sync.WaitGroup
		waiting.Go(func() { w.failFrom(w.store, 100, "ada", 1) })
		synctest.Wait()
		waiting.Go(func() { w.mustBeThrottled(w.store, from(200, "ada", right)) })
		synctest.Wait()
		first()
		second()
		waiting.Wait()
	})
}

func addressIsThrottled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		for i := range addressLimit { // names that no user can have
			if checked := w.fail(w.store, fmt.Sprintf("no name %d", i), 1); checked != 1 {
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
		// Attempts that are refused because of the address do not count against the name.
		for range 2 * limit {
			w.mustBeThrottled(w.store, attempt("ada", right))
		}
		if _, _, err := w.store.SignIn(t.Context(), elsewhere); err != nil {
			t.Errorf("from another address, later: %v", err)
		}
	})
}

// An attempt that is refused, for whatever reason, only reads. One that is refused
// because of its address reads one row.
func refusedAttemptWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		var reads, writes int
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Writes() {
				writes++
			} else {
				reads++
			}
			return send(ctx)
		})
		refused := func(because string, a account.Attempt, most int) {
			t.Helper()
			reads, writes = 0, 0
			w.mustBeThrottled(w.faulty, a)
			if writes != 0 || reads > most {
				t.Errorf("an attempt that is refused because of %s makes %d writes and %d reads, want none and at most %d", because, writes, reads, most)
			}
		}
		w.fail(w.store, "ada", limit)
		refused("its name", attempt("ada", right), 4)
		for i := range addressLimit - limit {
			w.fail(w.store, fmt.Sprintf("no name %d", i), 1)
		}
		refused("its address", attempt("grace", right), 1)
		refused("both", attempt("ada", right), 1)
	})
}

func manyCannotOutrunCount(t *testing.T) {
	for what, c := range map[string]struct {
		most  int64
		guess func(w *world, s *account.Accounts, token string, i int) (checked bool)
	}{
		"from one address":    {limit, func(w *world, s *account.Accounts, _ string, _ int) bool { return w.fail(s, "ada", 1) == 1 }},
		"from many addresses": {strangersLimit, func(w *world, s *account.Accounts, _ string, i int) bool { return w.failFrom(s, i/2, "ada", 1) == 1 }},
		"with a session": {limit, func(w *world, s *account.Accounts, token string, i int) bool {
			return w.guess(s, token, from(i, "ada", wrong))
		}},
	} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.account("ada")
				token := w.signedIn("ada", right)
				stores := []*account.Accounts{w.store, w.other()}
				var checked atomic.Int64
				atOnce(2*strangersLimit, func(i int) {
					if c.guess(w, stores[i%2], token, i) {
						checked.Add(1)
					}
				})
				if n := checked.Load(); n != c.most {
					t.Errorf("%d wrong passwords were checked, want %d", n, c.most)
				}
			})
		})
	}
}

// Whatever fault a sign-in has, it gives nobody another guess.
func throttleFaultNeverLowersCount(t *testing.T) {
	const before = limit / 2
	for what, password := range map[string]string{"right": right, "wrong": wrong} {
		t.Run("of a "+what+" password", func(t *testing.T) {
			eachFault(t, func(w *world) {
				w.account("ada")
				w.fail(w.store, "ada", before)
				_, err := w.signIn(w.faulty, "ada", password)
				if err != nil && !errors.Is(err, domain.ErrUnavailable) && !errors.Is(err, domain.ErrNotSignedIn) {
					w.t.Error(err)
				}
				if checked := w.fail(w.store, "ada", limit); checked > limit-before {
					w.t.Errorf("%d more wrong passwords were checked, want at most %d", checked, limit-before)
				}
			})
		})
	}
}

func lateRequestLowersNoCount(t *testing.T) {
	eachLateDelivery(t, func(w *world, arrive func()) {
		w.account("ada")
		w.fail(w.store, "ada", limit/2)
		_, _ = w.signIn(w.faulty, "ada", right) // whatever it answers
		checked := w.fail(w.store, "ada", 2)
		arrive()
		if checked += w.fail(w.store, "ada", limit); checked > limit-limit/2 {
			w.t.Errorf("%d more wrong passwords were checked", checked)
		}
	})
}

func strangersHaveLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		for _, name := range []string{"ada", "nobody"} {
			if checked := w.strangers(name); checked != strangersLimit {
				t.Errorf("%d wrong passwords were checked for %s, want %d", checked, name, strangersLimit)
			}
			w.mustBeThrottled(w.store, from(200, name, right))
			w.mustBeThrottled(w.other(), from(200, name, right))
		}
		if _, _, err := w.store.SignIn(t.Context(), from(200, "grace", right)); err != nil {
			t.Errorf("another user: %v", err)
		}
		time.Sleep(window)
		if _, _, err := w.store.SignIn(t.Context(), from(200, "ada", right)); err != nil {
			t.Errorf("in the next window: %v", err)
		}
	})
}

func strangersSpareKnownAddress(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		w.signedIn("ada", right)
		for range 3 { // whatever the order
			w.strangers("ada")
			for range 2 * limit {
				w.signedIn("ada", right)
			}
		}
		w.mustBeThrottled(w.store, from(200, "ada", right))
		// It is known for one user alone, and what it gets wrong is counted.
		w.strangers("grace")
		w.mustBeThrottled(w.store, attempt("grace", right))
		if checked := w.fail(w.store, "ada", 20); checked != limit {
			t.Errorf("%d wrong passwords were checked from a known address, want %d", checked, limit)
		}
		w.mustBeThrottled(w.store, attempt("ada", right))
	})
}

func addressIsKnownForAWhile(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.signedIn("ada", right)
		time.Sleep(known - window)
		w.expire()
		w.strangers("ada")
		w.signedIn("ada", right) // which makes it known for another 30 days
		time.Sleep(known - window)
		w.expire()
		w.strangers("ada")
		if checked := w.fail(w.store, "ada", 20); checked != limit {
			t.Errorf("%d wrong passwords were checked, want %d", checked, limit)
		}
		time.Sleep(window)
		w.strangers("ada")
		w.mustBeThrottled(w.store, attempt("ada", right))
	})
}

// A process whose clock is a year ahead counts and remembers. Then its clock is set right.
func clockAheadIsNotBelieved(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.signedIn("ada", right)
		w.fail(w.store, "ada", limit)
		for _, row := range w.rows("Throttle") {
			for _, p := range row.Properties {
				if p.Value.Kind() == driver.KindDateTime {
					w.ok(w.table("Throttle").Transact(t.Context(), row.Partition,
						driver.Merge(row.Row, driver.Exists, driver.Time(p.Name, p.Value.Instant().Add(365*24*time.Hour)))))
				}
			}
		}
		w.strangers("ada")
		w.mustBeThrottled(w.store, attempt("ada", right)) // as at any address that is not known
		time.Sleep(window)
		w.signedIn("ada", right)
		w.strangers("ada")
		w.signedIn("ada", right) // it is known again
		time.Sleep(known)
		w.strangers("ada")
		w.mustBeThrottled(w.store, attempt("ada", right))
	})
}

func strangersSpareSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		w.strangers("ada")
		for i := range addressLimit { // and strangers at the same address
			w.fail(w.store, fmt.Sprintf("no name %d", i), 1)
		}
		w.mustBeThrottled(w.store, attempt("ada", right))
		w.ok(w.store.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"))
		w.mustBeSignedIn(token, "ada")
	})
}

// guess tries to change the password with a wrong one, and reports whether it was checked.
func (w *world) guess(s *account.Accounts, token string, a account.Attempt) (checked bool) {
	w.t.Helper()
	var invalid *domain.InvalidError
	err := s.ChangePassword(w.t.Context(), token, a, "another horse")
	if !errors.As(err, &invalid) && !isThrottled(err) {
		w.t.Error(err)
	}
	return !isThrottled(err)
}

func sessionHasLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		checked := 0
		for i := range 2 * limit { // each with a session and an address of its own
			if w.guess(w.store, w.signedIn("ada", right), from(i, "ada", wrong)) {
				checked++
			}
		}
		token := w.signedIn("ada", right)
		if err := w.store.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"); checked != limit || !isThrottled(err) {
			t.Errorf("%d wrong passwords were checked, want %d, and then the right one is answered %v", checked, limit, err)
		}
		time.Sleep(window)
		w.ok(w.store.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"))
	})
}

func guessOfWhoLeftCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		for range limit {
			client, leave := context.WithCancel(t.Context())
			w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Target == "Throttle" && len(call.Operations) > 0 {
					leave()
				}
				return cmp.Or(ctx.Err(), send(ctx))
			})
			if _, _, err := w.faulty.SignIn(client, from(1, "ada", wrong)); err == nil {
				t.Fatal("a wrong password signs in")
			}
		}
		w.mustBeThrottled(w.store, from(1, "ada", wrong))
	})
}
