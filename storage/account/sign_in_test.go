package account_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

const (
	right = "correct horse"
	wrong = "incorrect horse"
)

// user writes the row of a user whose password is right, with a cheap hash.
func (w *world) user(name domain.UserName) {
	w.T.Helper()
	w.OK(w.Table("Users").Transact(w.T.Context(), string(name), driver.Insert("",
		driver.String("Password", drivertest.CheapHash(right)), driver.Time("CreatedOn", domain.Now()), driver.Int64("Epoch", 0))))
}

// from returns an attempt from one of many addresses.
func from(address int, name, password string) storage.Attempt {
	return storage.Attempt{Name: name, Password: password, Address: fmt.Sprintf("198.51.100.%d", address)}
}

func attempt(name, password string) storage.Attempt {
	return storage.Attempt{Name: name, Password: password, Address: "192.0.2.1"}
}

func (w *world) signIn(s *storage.Parts, name, password string) (string, error) {
	token, _, err := s.Accounts.SignIn(w.T.Context(), attempt(name, password))
	return token, err
}

func (w *world) signedIn(name, password string) string {
	w.T.Helper()
	token, err := w.signIn(w.Store, name, password)
	w.OK(err)
	return token
}

func (w *world) mustBeSignedIn(token string, as domain.UserName) {
	w.T.Helper()
	if session, err := w.Store.Accounts.Session(w.T.Context(), token, ""); err != nil || session.User != as {
		w.T.Errorf("signed in as %q, %v; want %q", session.User, err, as)
	}
}

func (w *world) mustNotBeSignedIn(token string) {
	w.T.Helper()
	for _, likely := range []domain.UserName{"", "ada", "eve"} {
		if session, err := w.Store.Accounts.Session(w.T.Context(), token, likely); !errors.Is(err, domain.ErrNotSignedIn) {
			w.T.Errorf("still signed in as %q, %v", session.User, err)
		}
	}
}

// expire removes what has ended, and returns how many rows.
func (w *world) expire() int {
	w.T.Helper()
	n, err := w.Store.Operator.Expire(w.T.Context())
	w.OK(err)
	return n
}

func TestPassword(t *testing.T) {
	t.Run("change ends every other session", bubble(passwordChangeEndsOtherSessions))
	t.Run("refused change changes nothing", bubble(refusedPasswordChangeChangesNothing))
	t.Run("link sets one password, and ends every session", bubble(linkSetsOnePassword))
}

func passwordChangeEndsOtherSessions(t *testing.T, w *world) {
	w.user("ada")
	w.user("grace")
	own, other, anonymous := w.signedIn("ada", right), w.signedIn("ada", right), w.signedIn("grace", right)
	w.OK(w.Store.Accounts.ChangePassword(t.Context(), own, attempt("ada", right), "another horse"))
	w.mustBeSignedIn(own, "ada")
	w.mustBeSignedIn(anonymous, "grace")
	w.mustNotBeSignedIn(other)
	if _, err := w.signIn(w.Store, "ada", right); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("the old password: %v", err)
	}
	w.signedIn("ada", "another horse")
}

func refusedPasswordChangeChangesNothing(t *testing.T, w *world) {
	w.user("ada")
	own := w.signedIn("ada", right)
	for field, change := range map[string][2]string{"old": {wrong, "another horse"}, "new": {right, "password123"}} {
		err := w.Store.Accounts.ChangePassword(t.Context(), own, attempt("ada", change[0]), change[1])
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != field {
			t.Errorf("changed from %q to %q: %v, want an InvalidError on %s", change[0], change[1], err, field)
		}
	}
	w.mustBeSignedIn(own, "ada")
	w.signedIn("ada", right)
}

func linkSetsOnePassword(t *testing.T, w *world) {
	w.user("ada")
	session, link := w.signedIn("ada", right), w.link()
	if err := w.Store.Accounts.ResetPassword(t.Context(), link, "password123"); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("a password that breaks a rule: %v", err)
	}
	w.OK(w.Store.Accounts.ResetPassword(t.Context(), link, "another horse"))
	for _, used := range []string{link, session, ""} {
		if err := w.Store.Accounts.ResetPassword(t.Context(), used, "a third horse"); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("a link that was used, or is none: %v", err)
		}
	}
	w.mustNotBeSignedIn(session)
	w.signedIn("ada", "another horse")
}
