package main

import (
	"strings"
	"testing"

	"microblogging/storage"
)

func TestUserResetCommand(t *testing.T) {
	t.Run("prints a link that sets a new password", resetPrintsLink)
	t.Run("refuses a name without an account", resetRefusesMissing)
}

func resetPrintsLink(t *testing.T) {
	data := t.TempDir()
	s := openSite(t, data)
	_, _, err := s.store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: testPassword}})
	s.ok(err)
	s.close()
	code, out, errs := program(t, "user", "reset", " @ADA", "--data", data, "--base-url", "https://blog.example")
	token, found := strings.CutPrefix(strings.TrimSpace(out), "https://blog.example/sign-in/reset?token=")
	if code != 0 || !found || errs != "" {
		t.Fatalf("exit %d, %q and %q", code, out, errs)
	}
	if _, out, errs = program(t, "user", "reset", "ada", "--data", data); !strings.HasPrefix(out, "http://127.0.0.1:8080/") || !strings.Contains(errs, "--base-url") {
		t.Errorf("without an address: %q and %q", out, errs)
	}
	s = openSite(t, data)
	s.ok(s.store.Accounts.ResetPassword(t.Context(), token, "a better password"))
	_, _, err = s.store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: "a better password"})
	s.ok(err)
}

func resetRefusesMissing(t *testing.T) {
	data := emptyStore(t)
	for name, want := range map[string]string{"zoe": "there is no user zoe", "no name": "<name>: may hold only"} {
		refused(t, exitCannotRun, want, "user", "reset", name, "--data", data)
	}
}
