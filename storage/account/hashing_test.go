package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestPasswordHashing(t *testing.T) {
	t.Run("sign-in does not wait for sign-ups", bubble(signInDoesNotWaitForSignUps))
	t.Run("sign-in does not wait for many from another address", bubble(signInDoesNotWaitForAddress))
	t.Run("sign-up does not wait for those that repeat theirs", bubble(repeatedSignUpsKeepNobodyOut))
	t.Run("sign-up that waits too long is refused, and costs nothing", bubble(lateSignUpIsRefused))
	t.Run("sign-in that waits too long is refused, and does not count", bubble(lateSignInIsRefused))
	t.Run("wait ends with the request", bubble(hashingWaitEndsWithRequest))
	t.Run("operator who makes an account waits", bubble(operatorWaits))
	t.Run("at most two are hashed concurrently", bubble(twoAreHashedConcurrently))
}

// unknown is an attempt with a name that has no account. It takes a slot for as long as hashing does.
func unknown(i int) storage.Attempt { return from(i, fmt.Sprint("norman", i), wrong) }

// hold makes hashing take so long, and so many sign-ins that take slots. Then it is quick again.
func (w *world) hold(slots int, takes time.Duration) {
	w.Hashing = func() { time.Sleep(takes) }
	for i := range slots {
		w.Concurrent.Go(func() { _, _, _ = w.Store.Accounts.SignIn(w.T.Context(), unknown(150+i)) }) // refused in the end
	}
	synctest.Wait()
	w.Hashing = func() {}
}

// holdSignUp makes a sign-up that takes so long.
func (w *world) holdSignUp(s *storage.Parts, takes time.Duration) {
	w.Hashing = func() { time.Sleep(takes) }
	w.Concurrent.Go(func() {
		if err := w.signUpFrom(s, 150, "slow"); err != nil {
			w.T.Error(err)
		}
	})
	synctest.Wait()
	w.Hashing = func() {}
}

// wantBusy fails unless work is refused after a wait.
func wantBusy(t testing.TB, work func() error) {
	t.Helper()
	began := time.Now()
	err := work()
	if took := time.Since(began); !errors.Is(err, domain.ErrBusy) || took < 2*time.Second || took > 5*time.Second {
		t.Errorf("%v after %s, want %v after 2 to 5 s", err, took, domain.ErrBusy)
	}
}

// mustBeQuick fails if work fails, or takes longer.
func mustBeQuick(t testing.TB, most time.Duration, work func() error) {
	t.Helper()
	began := time.Now()
	if err := work(); err != nil || time.Since(began) > most {
		t.Errorf("it took %s, %v", time.Since(began), err)
	}
}

func signInDoesNotWaitForSignUps(t *testing.T, w *world) {
	w.user("ada")
	w.holdSignUp(w.Store, time.Minute)
	for i := range 100 {
		w.Concurrent.Go(func() {
			wantBusy(t, func() error { return w.signUpFrom(w.Store, i, fmt.Sprint("user", i)) })
		})
	}
	synctest.Wait()
	for range 10 {
		mustBeQuick(t, 0, func() error { _, err := w.signIn(w.Store, "ada", right); return err })
	}
}

func signInDoesNotWaitForAddress(t *testing.T, w *world) {
	const takes = 100 * time.Millisecond
	w.user("ada")
	w.Hashing = func() { time.Sleep(takes) }
	for i := range 24 {
		a := unknown(i)
		a.Address = "192.0.2.7"
		w.Concurrent.Go(func() { _, _, _ = w.Store.Accounts.SignIn(t.Context(), a) })
	}
	synctest.Wait()
	mustBeQuick(t, 2*takes, func() error { _, err := w.signIn(w.Store, "ada", right); return err })
}

// A client that repeats a sign-up with its key signs in, which may take long behind other sign-ins of
// that address.
func repeatedSignUpsKeepNobodyOut(t *testing.T, w *world) {
	again := from(1, "mallory", right)
	w.OK(w.withKey(again))
	w.Hashing = func() { time.Sleep(time.Second / 10) }
	for i := range 40 {
		a := unknown(i)
		a.Address = again.Address
		w.Concurrent.Go(func() { _, _, _ = w.Store.Accounts.SignIn(t.Context(), a) })
	}
	synctest.Wait()
	for range 40 {
		w.Concurrent.Go(func() { _ = w.withKey(again) })
	}
	synctest.Wait()
	mustBeQuick(t, time.Second, func() error { return w.signUpFrom(w.Store, 2, "honest") })
}

func lateSignUpIsRefused(t *testing.T, w *world) {
	w.hold(2, 20*time.Second)
	wantBusy(t, func() error { return w.signUpFrom(w.Store, 1, "ada") })
	if rows := w.Rows("Users"); len(rows) != 0 {
		t.Errorf("it left %v", rows)
	}
	time.Sleep(20 * time.Second)
	w.holdSignUp(w.Faulty, time.Minute)
	w.Arm(drivertest.Pass)
	for range 2 * signUpLimit {
		wantBusy(t, func() error { return w.signUpFrom(w.Faulty, 1, "ada") })
	}
	if n := w.Calls.Load(); n != 0 {
		t.Errorf("sign-ups that were not admitted made %d calls", n)
	}
	time.Sleep(time.Minute)
	w.OK(w.signUpFrom(w.Faulty, 1, "ada"))
}

func lateSignInIsRefused(t *testing.T, w *world) {
	w.user("ada")
	w.hold(2, 10*time.Minute)
	for _, name := range []string{"ada", "norman"} {
		for range 2 * limit {
			wantBusy(t, func() error { _, err := w.signIn(w.Store, name, right); return err })
		}
	}
	time.Sleep(10 * time.Minute)
	w.guessers("ada") // its address is not known yet
	w.mustBeThrottled(w.Store, attempt("ada", right))
	if checked := w.fail(w.Store, "norman", 20); checked != limit {
		t.Errorf("%d wrong passwords were checked, want %d", checked, limit)
	}
}

func hashingWaitEndsWithRequest(t *testing.T, w *world) {
	w.hold(2, time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, signIn := w.Store.Accounts.SignIn(ctx, unknown(1))
	_, signUp := w.Store.Operator.SignUp(ctx, "ada", right)
	for kind, err := range map[string]error{"sign-in": signIn, "sign-up": signUp} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func operatorWaits(t *testing.T, w *world) {
	w.holdSignUp(w.Store, time.Minute)
	began := time.Now()
	_, err := w.Store.Operator.SignUp(t.Context(), "ada", right)
	if took := time.Since(began); err != nil || took != time.Minute {
		t.Errorf("an operator's account took %s, %v", took, err)
	}
}

func twoAreHashedConcurrently(t *testing.T, w *world) {
	var mu sync.Mutex
	now, most := 0, 0
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		now += n
		most = max(most, now)
	}
	w.Hashing = func() {
		add(1)
		time.Sleep(100 * time.Millisecond)
		add(-1)
	}
	drivertest.Together(20, func(i int) {
		if i%4 == 0 {
			if err := w.signUpFrom(w.Store, i, fmt.Sprint("user", i)); err != nil {
				t.Error(err)
			}
		} else if _, _, err := w.Store.Accounts.SignIn(t.Context(), unknown(i)); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Error(err)
		}
	})
	if most != 2 {
		t.Errorf("%d are hashed concurrently, want 2", most)
	}
}
