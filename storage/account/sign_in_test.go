package account_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestPassword(t *testing.T) {
	t.Run("change ends every other session", bubble(passwordChangeEndsOtherSessions))
	t.Run("refused change changes nothing", bubble(refusedPasswordChangeChangesNothing))
	t.Run("that no new account may have works until it is changed", bubble(commonPasswordWorks))
	t.Run("echo of a change ends with a later epoch", bubble(passwordEchoEndsWithLaterEpoch))
}

func passwordChangeEndsOtherSessions(t *testing.T, w *world) {
	w.account("ada")
	w.account("grace")
	own, other, stranger := w.signedIn("ada", right), w.signedIn("ada", right), w.signedIn("grace", right)
	w.ok(w.store.ChangePassword(t.Context(), own, attempt("ada", right), "another horse"))
	w.mustBeSignedIn(own, "ada")
	w.mustBeSignedIn(stranger, "grace")
	w.mustNotBeSignedIn(other)
	if _, err := w.signIn(w.store, "ada", right); !errors.Is(err, domain.ErrNotSignedIn) {
		t.Errorf("the old password: %v", err)
	}
	w.signedIn("ada", "another horse")
}

func refusedPasswordChangeChangesNothing(t *testing.T, w *world) {
	w.account("ada")
	own := w.signedIn("ada", right)
	for field, change := range map[string][2]string{"old": {wrong, "another horse"}, "new": {right, "password123"}} {
		err := w.store.ChangePassword(t.Context(), own, attempt("ada", change[0]), change[1])
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != field {
			t.Errorf("changed from %q to %q: %v, want an InvalidError on %s", change[0], change[1], err, field)
		}
	}
	w.mustBeSignedIn(own, "ada")
	w.signedIn("ada", right)
}

// Earlier versions accepted it.
func commonPasswordWorks(t *testing.T, w *world) {
	const common = "Qwertyuiop"
	w.ok(w.table("Users").Transact(t.Context(), "ada", driver.Insert("", driver.String("Password", drivertest.CheapHash(common)))))
	w.ok(w.store.ChangePassword(t.Context(), w.signedIn("ada", common), attempt("ada", common), right))
	w.signedIn("ada", right)
	if _, err := w.store.SignUp(t.Context(), "grace", common); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("a new account has it: %v", err)
	}
}

// A change begins one epoch, even if its reply is lost. If another request begins a
// later epoch meanwhile, the session that the change carries over ends.
func passwordEchoEndsWithLaterEpoch(t *testing.T, w *world) {
	w.account("ada")
	token := w.signedIn("ada", right)
	w.arm(drivertest.Only(writesTo("Users"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		_ = send(ctx) // the answer that is lost
		w.ok(w.store.EndSessions(ctx, "ada"))
		return send(ctx)
	}))
	w.ok(w.faulty.ChangePassword(t.Context(), token, attempt("ada", right), "another horse"))
	w.mustNotBeSignedIn(token)
	w.signedIn("ada", "another horse")
}
