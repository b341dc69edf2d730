package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

func TestSignUp(t *testing.T) {
	t.Run("new user can sign in", newUserCanSignIn)
	t.Run("refusal names all that is wrong", badSignUpNamesAllErrors)
	t.Run("one of many gets the name", oneOfManyGetsUserName)
	t.Run("fault does not take the name from its user", signUpFaultKeepsName)
	t.Run("address makes so many accounts in an hour", addressMakesSoManyAccounts)
	t.Run("many at once cannot outrun the limit", signUpsCannotOutrunLimit)
	t.Run("refused sign-up writes nothing", refusedSignUpWritesNothing)
}

func newUserCanSignIn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		user, err := w.store.SignUp(t.Context(), "Ada_1", right)
		if want := (domain.User{Name: "ada_1", CreatedOn: domain.Now()}); err != nil || user != want {
			t.Errorf("signed up %+v, %v; want %+v", user, err, want)
		}
		token, session, err := w.store.SignIn(t.Context(), attempt("ADA_1", right))
		want := domain.Session{User: "ada_1", ExpiresOn: domain.Now().Add(account.SessionLifetime)}
		read, readErr := w.store.Session(t.Context(), token)
		if err != nil || session != want || readErr != nil || read != want {
			t.Errorf("signed in as %+v, %v, and the session is %+v, %v", session, err, read, readErr)
		}
		if _, err := w.signIn(w.store, "ada_1", wrong); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("a wrong password: %v", err)
		}
		for _, name := range []string{"ada_1", "ADA_1"} {
			if _, err := w.store.SignUp(t.Context(), name, right); !errors.Is(err, domain.ErrExists) {
				t.Errorf("%s signed up again: %v", name, err)
			}
		}
	})
}

func badSignUpNamesAllErrors(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		var invalid *domain.InvalidError
		if _, err := w.store.SignUp(t.Context(), "a b", "short"); !errors.As(err, &invalid) || len(invalid.Fields) != 2 {
			t.Errorf("signed up: %v", err)
		}
		if rows := w.rows("Users"); len(rows) != 0 {
			t.Errorf("a refused sign-up left %v", rows)
		}
	})
}

func oneOfManyGetsUserName(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var winners []string
	atOnce(4, func(i int) {
		password := fmt.Sprintf("password %d", i)
		_, err := w.store.SignUp(t.Context(), "ada", password)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			winners = append(winners, password)
		} else if !errors.Is(err, domain.ErrExists) {
			t.Error(err)
		}
	})
	if len(winners) != 1 {
		t.Fatalf("the name was given to those with %q", winners)
	}
	w.signedIn("ada", winners[0])
}

func signUpFaultKeepsName(t *testing.T) {
	eachFault(t, func(w *world) {
		user, err := w.faulty.SignUp(w.t.Context(), "ada", right)
		switch {
		case err == nil && user.Name == "ada":
			w.signedIn("ada", right)
		case !errors.Is(err, domain.ErrUnavailable):
			w.t.Errorf("signed up as %+v, %v", user, err)
		}
	})
}

// signUpFrom signs up a new user, at most three from an address.
func (w *world) signUpFrom(s *account.Accounts, address int, name string) error {
	_, _, err := s.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: from(address, name, right), PerHour: signUpLimit})
	return err
}

const signUpLimit = 3

func addressMakesSoManyAccounts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		other := w.other() // another web process
		for i := range signUpLimit {
			w.ok(w.signUpFrom(w.store, 1, fmt.Sprintf("user%d", i)))
			if err := w.signUpFrom(other, 1, "user0"); !errors.Is(err, domain.ErrExists) {
				t.Errorf("a name in use: %v", err)
			}
			if err := w.signUpFrom(other, 1, "!"); err == nil || isThrottled(err) {
				t.Errorf("a name that breaks a rule: %v", err)
			}
		}
		err := w.signUpFrom(other, 1, "late")
		var throttled *domain.ThrottledError
		if !errors.As(err, &throttled) || throttled.RetryAfter <= 0 || throttled.RetryAfter > time.Hour {
			t.Fatalf("one more account: %v", err)
		}
		w.ok(w.signUpFrom(w.store, 2, "elsewhere"))
		w.signedIn("user0", right) // signing in is counted apart
		time.Sleep(throttled.RetryAfter)
		w.ok(w.signUpFrom(w.store, 1, "late"))
	})
}

func signUpsCannotOutrunLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		stores := []*account.Accounts{w.store, w.other()}
		var made atomic.Int64
		atOnce(4*signUpLimit, func(i int) {
			switch err := w.signUpFrom(stores[i%2], 1, fmt.Sprintf("user%d", i)); {
			case err == nil:
				made.Add(1)
			case !isThrottled(err):
				t.Error(err)
			}
		})
		if n := made.Load(); n != signUpLimit || len(w.rows("Users")) != signUpLimit {
			t.Errorf("%d accounts were made, want %d", n, signUpLimit)
		}
	})
}

func refusedSignUpWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range signUpLimit {
			w.ok(w.signUpFrom(w.store, 1, fmt.Sprintf("user%d", i)))
		}
		writes := 0
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Writes() {
				writes++
			}
			return send(ctx)
		})
		for i := range 10 {
			if err := w.signUpFrom(w.faulty, 1, fmt.Sprintf("more%d", i)); !isThrottled(err) {
				t.Errorf("one more account: %v", err)
			}
		}
		if writes != 0 {
			t.Errorf("%d writes, want none", writes)
		}
	})
}
