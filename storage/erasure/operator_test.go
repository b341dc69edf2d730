package erasure_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

var otto = domain.Actor{User: "otto", Operator: true}

func TestErasureByOperator(t *testing.T) {
	t.Run("shuts the user out, who cannot undo it, until an operator has", bubble(closedIsShutOut))
	t.Run("ends as any other", bubble(closedIsErased))
	t.Run("is for operators alone, and for no account of their own", bubble(closingIsForOperators))
	t.Run("leaves the user’s own deletion to the user", bubble(ownErasureStaysOwn))
}

// close closes the account of the user who leaves.
func (l *leaving) close(by domain.Actor) (domain.Erasure, error) {
	l.T.Helper()
	return l.Store.Accounts.Close(l.T.Context(), leaver, by, false)
}

func closedIsShutOut(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	link, _, err := l.Store.Accounts.PasswordLink(t.Context(), leaver, otto)
	l.OK(err)
	signIn, err := l.Store.Operator.SignInLink(t.Context(), leaver)
	l.OK(err)
	for range 2 { // again, it is the same
		asked, err := l.close(otto)
		if l.OK(err); asked.ByOperator != otto.User || asked.State != domain.AccountPending {
			t.Errorf("it is %+v", asked)
		}
	}
	if _, err := l.Store.Accounts.Session(t.Context(), l.token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("a session goes on with %v", err)
	}
	if _, _, err := l.Store.Accounts.SignIn(t.Context(), l.attempt()); !errors.Is(err, domain.ErrAccountClosed) {
		t.Errorf("the user signs in with %v", err)
	}
	wrong := l.attempt()
	wrong.Password = "another password"
	if _, _, err := l.Store.Accounts.SignIn(t.Context(), wrong); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("who has not the password is told %v", err)
	}
	if err := l.Store.Accounts.ResetPassword(t.Context(), link, "another password"); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("an earlier link sets a password with %v", err)
	}
	if _, _, err := l.Store.Accounts.FollowSignInLink(t.Context(), signIn); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("an earlier link signs in with %v", err)
	}
	if _, _, err := l.Store.Accounts.PasswordLink(t.Context(), leaver, otto); !errors.Is(err, domain.ErrAccountClosed) {
		t.Errorf("another link is made with %v", err)
	}
	signIn, err = l.Store.Operator.SignInLink(t.Context(), leaver)
	l.OK(err)
	if _, _, err := l.Store.Accounts.FollowSignInLink(t.Context(), signIn); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("a later link signs in with %v", err)
	}
	for _, by := range []domain.Actor{domain.By(leaver), domain.By(ada), domain.By(otto.User)} {
		if _, err := l.Store.Accounts.Undo(t.Context(), leaver, by); !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("%s undoes it with %v", by.User, err)
		}
	}
	if user, err := l.Store.Accounts.Get(t.Context(), leaver); err != nil || !user.Closed || !user.Leaves() {
		t.Errorf("the account is %+v, %v", user, err)
	}
	undone, err := l.Store.Accounts.Undo(t.Context(), leaver, domain.Actor{User: "olivia", Operator: true})
	if l.OK(err); undone.ByOperator != otto.User {
		t.Errorf("what is undone is %+v", undone)
	}
	_, _, err = l.Store.Accounts.SignIn(t.Context(), l.attempt())
	l.OK(err)
	l.mustBeSound()
}

func closedIsErased(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	_, err := l.close(otto)
	l.OK(err)
	stop := l.start(l.Store)
	time.Sleep(8 * 24 * time.Hour)
	l.until("the account is gone", func() bool { return l.state().State == domain.AccountGone })
	stop()
	if _, err := l.Store.Accounts.Undo(t.Context(), leaver, otto); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("it is undone with %v", err)
	}
	l.mustBeSound()
}

func closingIsForOperators(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	for _, by := range []domain.Actor{domain.By(ada), domain.By(leaver), {User: leaver, Operator: true}, {}} {
		if _, err := l.close(by); !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("%+v closes the account with %v", by, err)
		}
	}
	if _, err := l.Store.Accounts.Close(t.Context(), "nora", otto, true); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("no account is closed with %v", err)
	}
}

func ownErasureStaysOwn(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.ask(false)
	asked, err := l.close(otto)
	if l.OK(err); asked.ByOperator != "" {
		t.Errorf("an operator closes what is %+v", asked)
	}
	if _, err := l.Store.Accounts.Undo(t.Context(), leaver, otto); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("an operator undoes it with %v", err)
	}
	l.undo()
	_, err = l.close(otto)
	l.OK(err)
	if _, err := l.Store.Accounts.Undo(t.Context(), leaver, otto); err != nil {
		t.Error(err)
	}
	if asked := l.ask(true); asked.ByOperator != "" {
		t.Errorf("the user's own is %+v", asked)
	}
	l.undo()
}
