package account_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
)

func TestPasswordLink(t *testing.T) {
	t.Run("sets a password once, and the account says whose link it was until its user changes the password", bubble(linkIsShownToItsUser))
	t.Run("opens no session, and is left as it is", bubble(passwordLinkOpensNoSession))
	t.Run("is for operators alone", bubble(passwordLinkIsForOperators))
	t.Run("says whose password it sets, as often as it is read, and only while it can set one", bubble(linkSaysWhose))
}

var otto = domain.Actor{User: "otto", Operator: true}

func linkIsShownToItsUser(t *testing.T, w *world) {
	w.user("ada")
	link, expires, err := w.Store.Accounts.PasswordLink(t.Context(), "ada", otto)
	w.OK(err)
	w.SleepClosed(expires.Sub(domain.Now()) - 1)
	w.OK(w.Store.Accounts.ResetPassword(t.Context(), link, "another horse"))
	if user, err := w.Store.Accounts.Get(t.Context(), "ada"); err != nil || user.ResetBy != otto.User || !user.ResetOn.Equal(domain.Now()) {
		t.Errorf("the account is %+v, %v", user, err)
	}
	if err := w.Store.Accounts.ResetPassword(t.Context(), link, "a third horse"); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("it sets another password with %v", err)
	}
	token := w.signedIn("ada", "another horse")
	w.OK(w.Store.Accounts.ChangePassword(t.Context(), token, account.Attempt{Name: "ada", Password: "another horse"}, "my own horse"))
	if user, err := w.Store.Accounts.Get(t.Context(), "ada"); err != nil || user.ResetBy != "" {
		t.Errorf("after a change, the account is %+v, %v", user, err)
	}
	if link, _, err = w.Store.Accounts.PasswordLink(t.Context(), "ada", otto); err != nil {
		t.Fatal(err)
	}
	w.SleepClosed(time.Hour)
	if err := w.Store.Accounts.ResetPassword(t.Context(), link, "another horse"); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("after its time, it sets a password with %v", err)
	}
}

func passwordLinkOpensNoSession(t *testing.T, w *world) {
	w.user("ada")
	link, _, err := w.Store.Accounts.PasswordLink(t.Context(), "ada", otto)
	w.OK(err)
	if _, _, err := w.Store.Accounts.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("it signs in with %v", err)
	}
	w.OK(w.Store.Accounts.ResetPassword(t.Context(), link, "another horse"))
}

func passwordLinkIsForOperators(t *testing.T, w *world) {
	w.user("ada")
	for _, by := range []domain.Actor{domain.By("ada"), domain.By("grace"), {}} {
		if _, _, err := w.Store.Accounts.PasswordLink(t.Context(), "ada", by); !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("%+v makes one with %v", by, err)
		}
	}
	if _, _, err := w.Store.Accounts.PasswordLink(t.Context(), "nora", otto); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("one for no account is made with %v", err)
	}
}

func linkSaysWhose(t *testing.T, w *world) {
	w.user("ada")
	link := func() string {
		t.Helper()
		link, _, err := w.Store.Accounts.PasswordLink(t.Context(), "ada", otto)
		w.OK(err)
		return link
	}
	mustBeOver := func(what, link string) {
		t.Helper()
		if user, err := w.Store.Accounts.PasswordLinkUser(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("%s is of %q, %v", what, user, err)
		}
	}
	used, other := link(), link()
	for range 2 {
		if user, err := w.Store.Accounts.PasswordLinkUser(t.Context(), used); err != nil || user != "ada" {
			t.Errorf("it is of %q, %v", user, err)
		}
	}
	w.OK(w.Store.Accounts.ResetPassword(t.Context(), used, "another horse"))
	mustBeOver("a link that was used", used)
	mustBeOver("one from before that", other)
	mustBeOver("none", "")
	mustBeOver("a session", w.signedIn("ada", "another horse"))
	late := link()
	w.SleepClosed(time.Hour)
	mustBeOver("one that is too old", late)
	closed := link()
	_, err := w.Store.Accounts.Close(t.Context(), "ada", otto, true)
	w.OK(err)
	mustBeOver("one of an account that was closed since", closed)
}
