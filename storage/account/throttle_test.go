package account_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

const (
	// limit is how many wrong passwords are checked within a window for one user from
	// one address, or for one user who has a session.
	limit = 10
	// anonymousLimit is how many are checked for one user from all addresses that are
	// not known.
	anonymousLimit = 50
	// addressLimit is how many are checked for one address.
	addressLimit = 50
	window       = 15 * time.Minute
	// known is how long an address is known.
	known = 30 * 24 * time.Hour
)

// fail tries up to most wrong passwords, until the store refuses to check them. It
// returns how many were checked.
func (w *world) fail(s *storage.Parts, name string, most int) (checked int) {
	w.T.Helper()
	return w.failWith(s, attempt(name, wrong), most)
}

// failFrom is like fail, from an address.
func (w *world) failFrom(s *storage.Parts, address int, name string, most int) (checked int) {
	w.T.Helper()
	return w.failWith(s, from(address, name, wrong), most)
}

func (w *world) failWith(s *storage.Parts, a storage.Attempt, most int) (checked int) {
	w.T.Helper()
	for ; checked < most; checked++ {
		if _, _, err := s.Accounts.SignIn(w.T.Context(), a); isThrottled(err) {
			break
		} else if !errors.Is(err, domain.ErrNotSignedIn) {
			w.T.Fatal(err)
		}
	}
	return checked
}

// mustCheck demands that so many more wrong passwords are checked, and then none.
func (w *world) mustCheck(name string, want int) {
	w.T.Helper()
	if checked := w.fail(w.Store, name, want+limit); checked != want {
		w.T.Errorf("%d wrong passwords of %s were checked, want %d", checked, name, want)
	}
}

func (w *world) mustSignIn(a storage.Attempt) {
	w.T.Helper()
	if _, _, err := w.Store.Accounts.SignIn(w.T.Context(), a); err != nil {
		w.T.Errorf("%s from %s: %v", a.Name, a.Address, err)
	}
}

// guessers guess at a name from many addresses until no guess is checked any more, and
// return how many were.
func (w *world) guessers(name string) (checked int) {
	w.T.Helper()
	for address := range 2 * anonymousLimit / limit {
		checked += w.failFrom(w.Store, address, name, 2*limit)
	}
	return checked
}

// mustBeThrottled demands that an attempt is refused, and writes nothing.
func (w *world) mustBeThrottled(s *storage.Parts, a storage.Attempt) {
	w.T.Helper()
	before := w.Rows("Throttle")
	_, _, err := s.Accounts.SignIn(w.T.Context(), a)
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) || throttled.RetryAfter <= 0 || throttled.RetryAfter > window || throttled.SignUps {
		w.T.Errorf("%s from %s is answered %v, want throttled", a.Name, a.Address, err)
	}
	if !reflect.DeepEqual(before, w.Rows("Throttle")) {
		w.T.Errorf("%s from %s is refused, and has left rows", a.Name, a.Address)
	}
}

func TestThrottle(t *testing.T) {
	t.Run("many concurrent ones, in two processes, cannot outrun the count", manyCannotOutrunCount)
	t.Run("too many failures are throttled until the window passes", bubble(tooManyFailuresAreThrottled))
	t.Run("success is not counted", bubble(successIsNotCounted))
	t.Run("many concurrent right passwords are not refused", bubble(manyRightAreNotRefused))
	t.Run("password that waited is not compared once the limit is reached", bubble(waitingIsRefusedAtLimit))
	t.Run("guess counts though its client has left", bubble(guessOfWhoLeftCounts))
	t.Run("address that tries many names is throttled, which costs one read", bubble(addressIsThrottled))
	t.Run("anonymous clients together have a limit for each user", bubble(anonymousClientsHaveLimit))
	t.Run("anonymous clients do not lock out a known address", bubble(anonymousClientsSpareKnownAddress))
	t.Run("address is known for 30 days after a sign-in", bubble(addressIsKnownForAWhile))
	t.Run("clock that was ahead locks no user out, and makes no address known", bubble(clockAheadIsNotBelieved))
	t.Run("anonymous clients do not lock out a session", bubble(anonymousClientsSpareSession))
	t.Run("bytes of text are one sum for all processes, until the window passes", bubble(bytesAreOneSum))
	t.Run("row of a clock that was ahead begins a new sum", bubble(clockAheadBeginsNewSum))
}

func tooManyFailuresAreThrottled(t *testing.T, w *world) {
	w.user("ada")
	w.user("grace")
	w.signedIn("ada", right)
	w.mustCheck("ada", limit)
	other := w.Other() // another web process
	for _, s := range []*storage.Parts{w.Store, other} {
		w.mustBeThrottled(s, attempt("ada", right))
		w.mustBeThrottled(s, attempt("ADA", right))
	}
	w.signedIn("grace", right) // from the same address
	w.mustSignIn(from(2, "ada", right))
	_, _, err := w.Store.Accounts.SignIn(t.Context(), attempt("ada", right))
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) {
		t.Fatal(err)
	}
	time.Sleep(throttled.RetryAfter - time.Nanosecond)
	w.mustBeThrottled(w.Store, attempt("ada", right))
	time.Sleep(time.Nanosecond)
	w.signedIn("ada", right)
	w.mustCheck("ada", limit)
}

func isThrottled(err error) bool {
	var throttled *domain.ThrottledError
	return errors.As(err, &throttled)
}

func successIsNotCounted(t *testing.T, w *world) {
	w.user("ada")
	for range 2 * addressLimit {
		w.signedIn("ada", right)
	}
	if checked := w.fail(w.Store, "ada", limit-1); checked != limit-1 {
		t.Fatalf("%d wrong passwords were checked", checked)
	}
	w.signedIn("ada", right)
	w.signedIn("ada", right)
	w.mustCheck("ada", 1)
}

func manyRightAreNotRefused(t *testing.T, w *world) {
	w.user("ada")
	w.hold(2, time.Second)
	drivertest.Together(24, func(int) {
		if _, err := w.signIn(w.Store, "ada", right); err != nil {
			t.Error(err)
		}
	})
}

// Attempts that wait for each other have all been admitted.
func waitingIsRefusedAtLimit(t *testing.T, w *world) {
	w.user("ada")
	for address := range anonymousLimit - 1 {
		w.failFrom(w.Store, address, "ada", 1)
	}
	w.hold(2, time.Second)
	w.Concurrent.Go(func() { w.failFrom(w.Store, 100, "ada", 1) })
	synctest.Wait()
	w.Concurrent.Go(func() {
		if _, _, err := w.Store.Accounts.SignIn(t.Context(), from(200, "ada", right)); !isThrottled(err) {
			t.Errorf("it is compared: %v", err)
		}
	})
	synctest.Wait()
}

func addressIsThrottled(t *testing.T, w *world) {
	w.user("ada")
	for i := range addressLimit { // names that no user can have
		if checked := w.fail(w.Store, fmt.Sprintf("no name %d", i), 1); checked != 1 {
			t.Fatalf("name %d is throttled", i)
		}
	}
	w.mustBeThrottled(w.Store, attempt("ada", right))
	w.mustBeThrottled(w.Store, attempt("no name", right))
	w.Arm(drivertest.Pass)
	if w.mustBeThrottled(w.Faulty, attempt("ada", right)); w.Calls.Load() != 1 {
		t.Errorf("a refusal because of the address took %d calls", w.Calls.Load())
	}
	elsewhere := from(2, "ada", right)
	w.mustSignIn(elsewhere)
	// Attempts that are refused because of the address do not count against the name.
	for range 2 * limit {
		w.mustBeThrottled(w.Store, attempt("ada", right))
	}
	w.mustSignIn(elsewhere)
}

func manyCannotOutrunCount(t *testing.T) {
	for what, c := range map[string]struct {
		most  int64
		guess func(w *world, s *storage.Parts, token string, i int) (checked bool)
	}{
		"from one address":    {limit, func(w *world, s *storage.Parts, _ string, _ int) bool { return w.fail(s, "ada", 1) == 1 }},
		"from many addresses": {anonymousLimit, func(w *world, s *storage.Parts, _ string, i int) bool { return w.failFrom(s, i/2, "ada", 1) == 1 }},
		"with a session": {limit, func(w *world, s *storage.Parts, token string, i int) bool {
			return w.guess(s, token, from(i, "ada", wrong))
		}},
	} {
		t.Run(what, bubble(func(t *testing.T, w *world) {
			w.user("ada")
			token := w.signedIn("ada", right)
			stores := []*storage.Parts{w.Store, w.Other()}
			var checked atomic.Int64
			drivertest.Together(2*anonymousLimit, func(i int) {
				if c.guess(w, stores[i%2], token, i) {
					checked.Add(1)
				}
			})
			if n := checked.Load(); n != c.most {
				t.Errorf("%d wrong passwords were checked, want %d", n, c.most)
			}
		}))
	}
}

func anonymousClientsHaveLimit(t *testing.T, w *world) {
	w.user("ada")
	w.user("grace")
	for _, name := range []string{"ada", "norman"} {
		if checked := w.guessers(name); checked != anonymousLimit {
			t.Errorf("%d wrong passwords were checked for %s, want %d", checked, name, anonymousLimit)
		}
		w.mustBeThrottled(w.Store, from(200, name, right))
		w.mustBeThrottled(w.Other(), from(200, name, right))
	}
	w.mustSignIn(from(200, "grace", right))
	time.Sleep(window)
	w.mustSignIn(from(200, "ada", right))
}

func anonymousClientsSpareKnownAddress(t *testing.T, w *world) {
	w.user("ada")
	w.user("grace")
	w.signedIn("ada", right)
	for range 3 { // whatever the order
		w.guessers("ada")
		for range 2 * limit {
			w.signedIn("ada", right)
		}
	}
	w.mustBeThrottled(w.Store, from(200, "ada", right))
	// It is known for one user alone, and what it gets wrong is counted.
	w.guessers("grace")
	w.mustBeThrottled(w.Store, attempt("grace", right))
	w.mustCheck("ada", limit)
	w.mustBeThrottled(w.Store, attempt("ada", right))
}

func addressIsKnownForAWhile(t *testing.T, w *world) {
	w.user("ada")
	w.signedIn("ada", right)
	w.SleepClosed(known - window)
	w.expire()
	w.guessers("ada")
	w.signedIn("ada", right) // which makes it known for another 30 days
	w.SleepClosed(known - window)
	w.expire()
	w.guessers("ada")
	w.mustCheck("ada", limit)
	time.Sleep(window)
	w.guessers("ada")
	w.mustBeThrottled(w.Store, attempt("ada", right))
}

// A process whose clock is a year ahead counts and remembers. Then its clock is set right.
func clockAheadIsNotBelieved(t *testing.T, w *world) {
	w.user("ada")
	w.signedIn("ada", right)
	w.fail(w.Store, "ada", limit)
	for _, row := range w.Rows("Throttle") {
		for _, p := range row.Properties {
			if p.Value.Kind() == driver.KindDateTime {
				w.OK(w.Table("Throttle").Transact(t.Context(), row.Partition,
					driver.Merge(row.Row, driver.Exists, driver.Time(p.Name, p.Value.Instant().Add(365*24*time.Hour)))))
			}
		}
	}
	w.guessers("ada")
	w.mustBeThrottled(w.Store, attempt("ada", right)) // as at any address that is not known
	time.Sleep(window)
	w.signedIn("ada", right)
	w.guessers("ada")
	w.signedIn("ada", right) // it is known again
	w.SleepClosed(known)
	w.guessers("ada")
	w.mustBeThrottled(w.Store, attempt("ada", right))
}

func anonymousClientsSpareSession(t *testing.T, w *world) {
	w.user("ada")
	token := w.signedIn("ada", right)
	w.guessers("ada")
	for i := range addressLimit { // and anonymous clients at the same address
		w.fail(w.Store, fmt.Sprintf("no name %d", i), 1)
	}
	w.mustBeThrottled(w.Store, attempt("ada", right))
	w.OK(w.Store.Accounts.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"))
	w.mustBeSignedIn(token, "ada")
}

// mustSum counts bytes of ada's, and fails the test unless they make this sum.
func (w *world) mustSum(s *storage.Parts, bytes, want int64) (end time.Time) {
	w.T.Helper()
	sum, end, err := s.Accounts.AddText(w.T.Context(), "ada", bytes)
	w.OK(err)
	if left := time.Until(end); sum != want || left <= 0 || left > storage.TextWindow {
		w.T.Errorf("the sum is %d, want %d, and ends in %s", sum, want, left)
	}
	return end
}

func bytesAreOneSum(t *testing.T, w *world) {
	other := w.Other()
	end := w.mustSum(w.Store, 5, 5)
	time.Sleep(time.Hour)
	if again := w.mustSum(other, 7, 12); !again.Equal(end) {
		t.Errorf("the window ends at %s, and then at %s", end, again)
	}
	if sum, _, err := w.Store.Accounts.AddTextFrom(t.Context(), "ada", 1); err != nil || sum != 1 {
		t.Errorf("an address of the same name has %d: %v", sum, err)
	}
	drivertest.Together(10, func(i int) {
		if _, _, err := []*storage.Parts{w.Store, other}[i%2].Accounts.AddText(t.Context(), "ada", 10); err != nil {
			t.Error(err)
		}
	})
	w.mustSum(w.Store, 0, 112)
	time.Sleep(time.Until(end))
	w.mustSum(other, 3, 3)
	w.expire()
	w.mustSum(other, 3, 6)
}

func clockAheadBeginsNewSum(t *testing.T, w *world) {
	w.mustSum(w.Store, 5, 5)
	for _, row := range w.Rows("Throttle") {
		w.OK(w.Table("Throttle").Transact(t.Context(), row.Partition,
			driver.Merge(row.Row, driver.Exists, driver.Time("WindowEnds", time.Now().Add(365*24*time.Hour)))))
	}
	w.mustSum(w.Store, 7, 7)
}

// guess tries to change the password with a wrong one, and reports whether it was checked.
func (w *world) guess(s *storage.Parts, token string, a storage.Attempt) (checked bool) {
	w.T.Helper()
	var invalid *domain.InvalidError
	err := s.Accounts.ChangePassword(w.T.Context(), token, a, "another horse")
	if !errors.As(err, &invalid) && !isThrottled(err) {
		w.T.Error(err)
	}
	return !isThrottled(err)
}

func guessOfWhoLeftCounts(t *testing.T, w *world) {
	w.user("ada")
	for range limit {
		client, leave := context.WithCancel(t.Context())
		w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Throttle" && len(call.Operations) > 0 {
				leave()
			}
			return cmp.Or(ctx.Err(), send(ctx))
		})
		if _, _, err := w.Faulty.Accounts.SignIn(client, from(1, "ada", wrong)); err == nil {
			t.Fatal("a wrong password signs in")
		}
	}
	w.mustBeThrottled(w.Store, from(1, "ada", wrong))
}
