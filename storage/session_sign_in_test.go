package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestSignIn(t *testing.T) {
	t.Run("fault gives no worthless token", signInFaultGivesNoWorthlessToken)
}

func signInFaultGivesNoWorthlessToken(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		token, err := w.signIn(w.faulty, "ada", right)
		switch {
		case err == nil:
			w.mustBeSignedIn(token, "ada")
		case token != "" || !errors.Is(err, domain.ErrUnavailable):
			w.t.Errorf("told %v with the token %q", err, token)
		}
	})
}
