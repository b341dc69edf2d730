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

func TestSignUpOnce(t *testing.T) {
	t.Run("one key makes one account", oneKeyMakesOneAccount)
	t.Run("fault does not keep the user from the name", signUpOnceFaultKeepsName)
	t.Run("many with one key get the same account", manyWithOneKeyGetOneAccount)
	t.Run("a key is free for another name after a day", keyIsFreeAfterADay)
	t.Run("a key gives no guesses past the limit of sign-ins", keyGivesNoGuessesPastLimit)
}

func TestMadeWithKey(t *testing.T) {
	t.Run("knows the key for good", madeWithKeyKnowsTheKeyForGood)
}

func madeWithKeyKnowsTheKeyForGood(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		long := time.Now().Add(-30 * 24 * time.Hour)
		made, _, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{
			Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k", CreatedOn: long})
		w.ok(err)
		if read, err := w.store.User(t.Context(), ada); err != nil || read != made || !read.CreatedOn.Equal(domain.Storable(long)) {
			t.Errorf("read %+v, %v, made %+v", read, err, made)
		}
		_, err = w.store.SignUp(t.Context(), "grace", right)
		w.ok(err)
		for _, test := range []struct {
			name domain.UserName
			key  string
			want bool
		}{{ada, "k", true}, {ada, "other", false}, {ada, "", false}, {grace, "k", false}, {grace, "", false}} {
			if got, err := w.store.MadeWithKey(t.Context(), test.name, test.key); err != nil || got != test.want {
				t.Errorf("%s with %q: %t, %v", test.name, test.key, got, err)
			}
		}
		if _, err := w.store.MadeWithKey(t.Context(), eve, "k"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("a user who is not there: %v", err)
		}
	})
}

func oneKeyMakesOneAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first, made, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k"})
		if err != nil || !made {
			t.Fatalf("signed up: %t, %v", made, err)
		}
		time.Sleep(time.Second)
		again, made, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "Ada", Password: right}, Key: "k"})
		if err != nil || made || again != first {
			t.Errorf("signed up %+v again as %+v, %t, %v", first, again, made, err)
		}
		for what, try := range map[string]struct {
			name, password, key string
			want                error
		}{
			"another password": {"ada", wrong, "k", domain.ErrKeyReused},
			"another name":     {"grace", right, "k", domain.ErrKeyReused},
			"another key":      {"ada", right, "k2", domain.ErrExists},
			"no key":           {"ada", right, "", domain.ErrExists},
		} {
			if _, _, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: try.name, Password: try.password}, Key: try.key}); !errors.Is(err, try.want) {
				t.Errorf("%s: %v, want %v", what, err, try.want)
			}
		}
		if _, made, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "grace", Password: right}, Key: "k2"}); err != nil || !made {
			t.Errorf("a key that was refused because the name was taken: %t, %v", made, err)
		}
		time.Sleep(24*time.Hour + expiryMargin)
		if _, err := w.store.Expire(t.Context()); err != nil || len(w.rows("Sessions")) != 0 {
			t.Errorf("after a day, %d rows of keys are left (%v)", len(w.rows("Sessions")), err)
		}
		if _, made, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k"}); !errors.Is(err, domain.ErrExists) {
			t.Errorf("the same key and body after a day: %t, %v", made, err)
		}
	})
}

func signUpOnceFaultKeepsName(t *testing.T) {
	eachFault(t, func(w *world) {
		_, _, err := w.faulty.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k"})
		if _, _, againErr := w.store.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k"}); againErr != nil {
			w.t.Errorf("told %v, and then %v", err, againErr)
		}
		w.signedIn("ada", right)
	})
}

// The row of the key is there until a reconciling pass removes it.
func keyIsFreeAfterADay(t *testing.T) {
	eachFault(t, func(w *world) {
		w.ok(w.withKey(from(0, "ada", right)))
		time.Sleep(24*time.Hour - time.Second)
		if err := w.withKey(from(0, "grace", right)); !errors.Is(err, domain.ErrKeyReused) {
			w.t.Errorf("within a day, the key for another name: %v", err)
		}
		time.Sleep(time.Second)
		_, _, err := w.faulty.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: from(0, "grace", right), Key: "k"})
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Errorf("after a day: %v", err)
		}
		w.ok(w.withKey(from(0, "grace", right)))
		if err := w.withKey(from(0, "eve", right)); !errors.Is(err, domain.ErrKeyReused) {
			w.t.Errorf("the key for a third name: %v", err)
		}
	})
}

func manyWithOneKeyGetOneAccount(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	makers := 0
	atOnce(4, func(int) {
		_, made, err := w.store.SignUpOnce(t.Context(), account.SignUpRequest{Attempt: account.Attempt{Name: "ada", Password: right}, Key: "k"})
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		if made {
			makers++
		}
	})
	if makers != 1 {
		t.Errorf("%d made the account", makers)
	}
}

// withKey signs up with a key that has made an account.
func (w *world) withKey(a account.Attempt) error {
	_, _, err := w.store.SignUpOnce(w.t.Context(), account.SignUpRequest{Attempt: a, Key: "k"})
	return err
}

// guessWithKey tries wrong passwords with a key, until one is refused, and returns how many
// were not.
func (w *world) guessWithKey(address int, name string, most int) (checked int) {
	w.t.Helper()
	for range most {
		switch err := w.withKey(from(address, name, wrong)); {
		case isThrottled(err):
			return checked
		case !errors.Is(err, domain.ErrKeyReused):
			w.t.Fatal(err)
		}
		checked++
	}
	return checked
}

func keyGivesNoGuessesPastLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ok(w.withKey(from(0, "ada", right)))
		if n := w.failFrom(w.store, 1, "ada", 4); n != 4 {
			t.Errorf("%d sign-ins were checked", n)
		}
		if n := w.guessWithKey(1, "Ada", 2*limit); n != limit-4 {
			t.Errorf("after 4 failed sign-ins, %d guesses with a key were checked, want %d", n, limit-4)
		}
		w.mustBeThrottled(w.store, from(1, "ada", right))
		if err := w.withKey(from(1, "ada", right)); !isThrottled(err) {
			t.Errorf("the right password from a refused address: %v", err)
		}
		checked := limit
		for address := range 2 * strangersLimit / limit {
			checked += w.guessWithKey(2+address, "ada", 2*limit)
		}
		if checked != strangersLimit {
			t.Errorf("%d guesses from many addresses were checked, want %d", checked, strangersLimit)
		}
		rows := len(w.rows("Throttle"))
		if n := w.guessWithKey(99, "ada", 5); n != 0 || len(w.rows("Throttle")) != rows {
			t.Errorf("%d more guesses were checked, and left %d rows", n, len(w.rows("Throttle"))-rows)
		}
		time.Sleep(window)
		w.ok(w.withKey(from(1, "ada", right)))
	})
}
