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
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

func TestPasswordHashing(t *testing.T) {
	t.Run("sign-in does not wait for sign-ups", signInDoesNotWaitForSignUps)
	t.Run("sign-in does not wait for many from another address", signInDoesNotWaitForAddress)
	t.Run("sign-up does not wait for those that repeat theirs", repeatedSignUpsKeepNobodyOut)
	t.Run("sign-up that waits too long is refused", lateSignUpIsRefused)
	t.Run("sign-in that waits too long is refused and does not count", lateSignInIsRefused)
	t.Run("sign-up that waits too long does not count", lateSignUpDoesNotCount)
	t.Run("wait ends with the request", hashingWaitEndsWithRequest)
	t.Run("operator who makes an account waits", operatorWaits)
	t.Run("at most two are hashed at once", twoAreHashedAtOnce)
	t.Run("sign-up that is not admitted costs the store nothing", signUpNotAdmittedCostsNothing)
}

// busy makes work of one kind that lasts until release is called.
func busy(t *testing.T, enter func(context.Context, func()) error) (release func()) {
	t.Helper()
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if err := enter(t.Context(), func() { <-end }); err != nil {
			t.Error(err)
		}
	}()
	synctest.Wait()
	return func() {
		close(end)
		<-ended
	}
}

// wantBusy fails unless work is refused after a wait.
func wantBusy(t *testing.T, work func() error) {
	t.Helper()
	began := time.Now()
	err := work()
	if took := time.Since(began); !errors.Is(err, domain.ErrBusy) || took < 2*time.Second || took > 5*time.Second {
		t.Errorf("%v after %s, want %v after 2 to 5 s", err, took, domain.ErrBusy)
	}
}

func signInDoesNotWaitForSignUps(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		release := busy(t, w.store.HashSignUp)
		var waiting sync.WaitGroup
		for range 100 {
			waiting.Go(func() {
				wantBusy(t, func() error {
					return w.store.HashSignUp(t.Context(), func() { t.Error("two sign-ups are hashed at once") })
				})
			})
		}
		synctest.Wait()
		w.account("ada")
		began := time.Now()
		for range 10 {
			w.signedIn("ada", right)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("signing in waits for %s", took)
		}
		waiting.Wait()
		release()
	})
}

func signInDoesNotWaitForAddress(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const takes = 100 * time.Millisecond
		hash := func(address int, name string) {
			if err := w.store.HashAttempt(t.Context(), from(address, name, right), func() { time.Sleep(takes) }); err != nil {
				t.Error(err)
			}
		}
		var others sync.WaitGroup
		for i := range 24 {
			others.Go(func() { hash(1, fmt.Sprint("other", i)) })
		}
		synctest.Wait()
		began := time.Now()
		hash(2, "ada")
		if took := time.Since(began); took > 2*takes {
			t.Errorf("it took %s", took)
		}
		others.Wait()
	})
}

// Whoever repeats a sign-up with its key signs in, which may take long behind other sign-ins of
// that address.
func repeatedSignUpsKeepNobodyOut(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		again := account.SignUpRequest{Attempt: from(1, "mallory", right), Key: "k"}
		_, _, err := w.store.SignUpOnce(t.Context(), again)
		w.ok(err)
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				_ = w.store.HashAttempt(t.Context(), from(1, fmt.Sprint("other", i), right), func() { time.Sleep(time.Second / 10) })
			})
		}
		synctest.Wait()
		for range 40 {
			all.Go(func() { _, _, _ = w.store.SignUpOnce(t.Context(), again) })
		}
		synctest.Wait()
		began := time.Now()
		w.ok(w.signUpFrom(w.store, 2, "honest"))
		if took := time.Since(began); took > time.Second {
			t.Errorf("a stranger's sign-up took %s", took)
		}
		all.Wait()
	})
}

func lateSignUpIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first, second := busy(t, w.store.HashSignIn), busy(t, w.store.HashSignIn)
		wantBusy(t, func() error { return w.signUpFrom(w.store, 1, "ada") })
		if rows := w.rows("Users"); len(rows) != 0 {
			t.Errorf("it left %v", rows)
		}
		first()
		w.ok(w.signUpFrom(w.store, 1, "ada"))
		second()
	})
}

func lateSignInIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		first, second := busy(t, w.store.HashSignIn), busy(t, w.store.HashSignIn)
		for _, name := range []string{"ada", "nobody"} {
			for range 2 * limit {
				wantBusy(t, func() error { _, err := w.signIn(w.store, name, right); return err })
			}
		}
		first()
		second()
		w.strangers("ada") // its address is not known yet
		w.mustBeThrottled(w.store, attempt("ada", right))
		if checked := w.fail(w.store, "nobody", 20); checked != limit {
			t.Errorf("%d wrong passwords were checked, want %d", checked, limit)
		}
	})
}

func lateSignUpDoesNotCount(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		release := busy(t, w.store.HashSignUp)
		for range 2 * signUpLimit {
			wantBusy(t, func() error { return w.signUpFrom(w.store, 1, "ada") })
		}
		release()
		w.ok(w.signUpFrom(w.store, 1, "ada"))
	})
}

func hashingWaitEndsWithRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first, second := busy(t, w.store.HashSignIn), busy(t, w.store.HashSignIn)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for kind, enter := range map[string]func(context.Context, func()) error{"sign-in": w.store.HashSignIn, "sign-up": w.store.HashSignUp} {
			if err := enter(ctx, func() {}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", kind, err)
			}
		}
		first()
		second()
	})
}

func twoAreHashedAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		now, most := 0, 0
		work := func() {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(100 * time.Millisecond)
			mu.Lock()
			now--
			mu.Unlock()
		}
		atOnce(20, func(i int) {
			enter := w.store.HashSignIn
			if i%4 == 0 {
				enter = w.store.HashSignUp
			}
			if err := enter(t.Context(), work); err != nil {
				t.Error(err)
			}
		})
		if most != 2 {
			t.Errorf("%d are hashed at once, want 2", most)
		}
	})
}

func operatorWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		release := busy(t, w.store.HashSignUp)
		began := time.Now()
		time.AfterFunc(time.Minute, release)
		_, err := w.store.SignUp(t.Context(), "ada", right)
		if took := time.Since(began); err != nil || took != time.Minute {
			t.Errorf("an operator's account took %s, %v", took, err)
		}
	})
}

func signUpNotAdmittedCostsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		end := make(chan struct{})
		w.arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			<-end
			return send(ctx)
		})
		var first sync.WaitGroup
		first.Go(func() {
			if err := w.signUpFrom(w.faulty, 1, "ada"); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		wantBusy(t, func() error { return w.signUpFrom(w.faulty, 2, "eve") })
		if calls := w.calls.Load(); calls != 1 {
			t.Errorf("it made %d calls", calls-1)
		}
		close(end)
		first.Wait()
		w.ok(w.signUpFrom(w.faulty, 2, "eve"))
	})
}
