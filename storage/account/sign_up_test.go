package account_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

func TestSignUp(t *testing.T) {
	t.Run("new user can sign in", bubble(newUserCanSignIn))
	t.Run("refusal names all that is wrong", bubble(badSignUpNamesAllErrors))
	t.Run("address makes so many accounts in an hour, and then writes nothing", bubble(addressMakesSoManyAccounts))
	t.Run("many concurrent ones cannot outrun the limit", bubble(signUpsCannotOutrunLimit))
	t.Run("one key makes one account", bubble(oneKeyMakesOneAccount))
	t.Run("a key gives no guesses past the limit of sign-ins", bubble(keyGivesNoGuessesPastLimit))
	t.Run("the key that made an account is known for good", bubble(madeWithKeyKnowsTheKeyForGood))
}

func newUserCanSignIn(t *testing.T, w *world) {
	user, err := w.Store.Operator.SignUp(t.Context(), "Ada_1", right)
	if want := (domain.User{Name: "ada_1", CreatedOn: domain.Now()}); err != nil || user != want {
		t.Errorf("signed up %+v, %v; want %+v", user, err, want)
	}
	token, session, err := w.Store.Accounts.SignIn(t.Context(), attempt("ADA_1", right))
	want := domain.Session{User: "ada_1", ExpiresOn: domain.Now().Add(account.SessionLifetime)}
	read, readErr := w.Store.Accounts.Session(t.Context(), token, "")
	if err != nil || session != want || readErr != nil || read != want {
		t.Errorf("signed in as %+v, %v, and the session is %+v, %v", session, err, read, readErr)
	}
	if _, err := w.signIn(w.Store, "ada_1", wrong); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("a wrong password: %v", err)
	}
	for _, name := range []string{"ada_1", "ADA_1"} {
		if _, err := w.Store.Operator.SignUp(t.Context(), name, right); !errors.Is(err, domain.ErrExists) {
			t.Errorf("%s signed up again: %v", name, err)
		}
	}
}

func badSignUpNamesAllErrors(t *testing.T, w *world) {
	var invalid *domain.InvalidError
	if _, err := w.Store.Operator.SignUp(t.Context(), "a b", "short"); !errors.As(err, &invalid) || len(invalid.Fields) != 2 {
		t.Errorf("signed up: %v", err)
	}
	if rows := w.Rows("Users"); len(rows) != 0 {
		t.Errorf("a refused sign-up left %v", rows)
	}
}

// signUpFrom signs up a new user, at most three from an address.
func (w *world) signUpFrom(s *storage.Parts, address int, name string) error {
	_, _, err := s.Accounts.Create(w.T.Context(), storage.SignUpRequest{Attempt: from(address, name, right), PerHour: signUpLimit})
	return err
}

const signUpLimit = 3

func addressMakesSoManyAccounts(t *testing.T, w *world) {
	other := w.Other() // another web process
	for i := range signUpLimit {
		w.OK(w.signUpFrom(w.Store, 1, fmt.Sprintf("user%d", i)))
		if err := w.signUpFrom(other, 1, "user0"); !errors.Is(err, domain.ErrExists) {
			t.Errorf("a name in use: %v", err)
		}
		if err := w.signUpFrom(other, 1, "!"); err == nil || isThrottled(err) {
			t.Errorf("a name that breaks a rule: %v", err)
		}
	}
	w.Arm(drivertest.Only(drivertest.Writes, drivertest.FailBefore(1)))
	err := w.signUpFrom(w.Faulty, 1, "late")
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) || throttled.RetryAfter <= 0 || throttled.RetryAfter > time.Hour || !throttled.SignUps {
		t.Fatalf("one more account: %v", err)
	}
	w.OK(w.signUpFrom(w.Store, 2, "elsewhere"))
	w.signedIn("user0", right) // signing in is counted apart
	time.Sleep(throttled.RetryAfter)
	w.OK(w.signUpFrom(w.Store, 1, "late"))
}

func signUpsCannotOutrunLimit(t *testing.T, w *world) {
	stores := []*storage.Parts{w.Store, w.Other()}
	var made atomic.Int64
	drivertest.Together(4*signUpLimit, func(i int) {
		switch err := w.signUpFrom(stores[i%2], 1, fmt.Sprintf("user%d", i)); {
		case err == nil:
			made.Add(1)
		case !isThrottled(err):
			t.Error(err)
		}
	})
	if n := made.Load(); n != signUpLimit || len(w.Rows("Users")) != signUpLimit {
		t.Errorf("%d accounts were made, want %d", n, signUpLimit)
	}
}

// once signs up with a key.
func (w *world) once(name, password, key string) (domain.User, bool, error) {
	return w.Store.Accounts.Create(w.T.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: name, Password: password}, Key: key})
}

func oneKeyMakesOneAccount(t *testing.T, w *world) {
	first, made, err := w.once("ada", right, "k")
	if err != nil || !made {
		t.Fatalf("signed up: %t, %v", made, err)
	}
	time.Sleep(24*time.Hour - time.Second)
	again, made, err := w.once("Ada", right, "k")
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
		if _, _, err := w.once(try.name, try.password, try.key); !errors.Is(err, try.want) {
			t.Errorf("%s: %v, want %v", what, err, try.want)
		}
	}
	if _, made, err := w.once("grace", right, "k2"); err != nil || !made {
		t.Errorf("a key that was refused because the name was taken: %t, %v", made, err)
	}
	time.Sleep(24*time.Hour + expiryMargin)
	if w.expire(); len(w.Rows("Sessions")) != 0 {
		t.Errorf("after a day, %d rows of keys are left", len(w.Rows("Sessions")))
	}
	if _, made, err := w.once("ada", right, "k"); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the same key and body after a day: %t, %v", made, err)
	}
}

// withKey signs up with a key that has made an account.
func (w *world) withKey(a storage.Attempt) error {
	_, _, err := w.Store.Accounts.Create(w.T.Context(), storage.SignUpRequest{Attempt: a, Key: "k"})
	return err
}

func keyGivesNoGuessesPastLimit(t *testing.T, w *world) {
	// guess tries wrong passwords with a key, until one is refused.
	guess := func(address int, name string) (checked int) {
		for ; checked < 2*limit; checked++ {
			if err := w.withKey(from(address, name, wrong)); isThrottled(err) {
				break
			} else if !errors.Is(err, domain.ErrKeyReused) {
				t.Fatal(err)
			}
		}
		return checked
	}
	w.OK(w.withKey(from(0, "ada", right)))
	w.failFrom(w.Store, 1, "ada", 4)
	if n := guess(1, "Ada"); n != limit-4 {
		t.Errorf("after 4 failed sign-ins, %d guesses with a key were checked, want %d", n, limit-4)
	}
	w.mustBeThrottled(w.Store, from(1, "ada", right))
	if err := w.withKey(from(1, "ada", right)); !isThrottled(err) {
		t.Errorf("the right password from a refused address: %v", err)
	}
	checked := limit
	for address := range 2 * anonymousLimit / limit {
		checked += guess(2+address, "ada")
	}
	if checked != anonymousLimit {
		t.Errorf("%d guesses from many addresses were checked, want %d", checked, anonymousLimit)
	}
	rows := len(w.Rows("Throttle"))
	if n := guess(99, "ada"); n != 0 || len(w.Rows("Throttle")) != rows {
		t.Errorf("%d more guesses were checked, and left %d rows", n, len(w.Rows("Throttle"))-rows)
	}
	time.Sleep(window)
	w.OK(w.withKey(from(1, "ada", right)))
}

func madeWithKeyKnowsTheKeyForGood(t *testing.T, w *world) {
	long := domain.Storable(time.Now().Add(-30 * 24 * time.Hour))
	_, _, err := w.Store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: attempt("ada", right), Key: "k", CreatedOn: long})
	w.OK(err)
	w.user("grace")
	for key, want := range map[string]bool{"k": true, "other": false, "": false} {
		his, err := w.Store.Operator.MadeWithKey(t.Context(), "ada", key)
		hers, herErr := w.Store.Operator.MadeWithKey(t.Context(), "grace", key)
		if his != want || hers || err != nil || herErr != nil {
			t.Errorf("%q made ada: %t, %v, and grace: %t, %v", key, his, err, hers, herErr)
		}
	}
	if read, err := w.Store.Accounts.Get(t.Context(), "ada"); err != nil || !read.CreatedOn.Equal(long) {
		t.Errorf("read %+v, %v", read, err)
	}
	if _, err := w.Store.Operator.MadeWithKey(t.Context(), "eve", "k"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a user who is not there: %v", err)
	}
}
