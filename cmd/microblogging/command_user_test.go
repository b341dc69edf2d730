package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestUserCreateCommand(t *testing.T) {
	t.Run("makes the store and the account, whose password its link sets", createMakesStore)
}

func TestUserInviteCommand(t *testing.T) {
	t.Run("prints a link that makes an account once", inviteMakesOne)
}

func TestCloseCommands(t *testing.T) {
	t.Run("close what an operator alone can open again, in the time that they say", closesForOperator)
	t.Run("keep the posts of an account, as the page for operators, unless told to delete them", closeSaysPosts)
}

func closeSaysPosts(t *testing.T) {
	const keeps, deletes = "\nTheir posts and replies in channels of others will stay, without the name.\n", "\nTheir posts and replies in channels of others will be deleted.\n"
	mustEnd := func(want string, asked bool, args ...string) {
		t.Helper()
		s := openSite(t, t.TempDir())
		_, err := s.store.Operator.SignUp(t.Context(), "ada", testPassword)
		s.ok(err)
		if asked {
			_, err := s.store.Accounts.Delete(t.Context(), storage.Attempt{Name: "ada", Password: testPassword}, false)
			s.ok(err)
		}
		s.close()
		if said := mustRun(t, append([]string{"user", "close", "ada", "--data", s.data}, args...)...); !strings.HasSuffix(said, want) {
			t.Errorf("%q says %q", args, said)
		}
	}
	mustEnd(keeps, false)
	mustEnd(deletes, false, "--posts", "delete")
	mustEnd(deletes, true, "--posts", "keep") // the user has asked before, and chosen
}

// secretOf is the secret of the link that a command prints.
func secretOf(t *testing.T, begins string, args ...string) string {
	t.Helper()
	secret, found := strings.CutPrefix(strings.TrimSpace(mustRun(t, append(args, "--base-url", "https://blog.example")...)), "https://blog.example"+begins)
	if !found {
		t.Fatalf("%q prints no link that begins with %s", args, begins)
	}
	return secret
}

func createMakesStore(t *testing.T) {
	data := t.TempDir()
	token := secretOf(t, "/sign-in/reset?token=", "user", "create", "Ada", "--data", data)
	refused(t, exitCannotRun, "the name ada is taken; if the account is there, user reset prints a link for it", "user", "create", "ada", "--data", data)
	s := openSite(t, data)
	s.ok(s.store.Accounts.ResetPassword(t.Context(), token, "a better password"))
	_, _, err := s.store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: "a better password"})
	s.ok(err)
}

func inviteMakesOne(t *testing.T) {
	data := emptyStore(t)
	secret := secretOf(t, "/sign-up?invitation=", "user", "invite", "--data", data)
	s := openSite(t, data)
	sign := func(name string) error {
		_, _, err := s.store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: name, Password: testPassword}, Key: name, Invitation: secret})
		return err
	}
	s.ok(sign("ada"))
	if err := sign("bob"); !errors.Is(err, domain.ErrInvitationOver) {
		t.Errorf("a second account: %v", err)
	}
}

func closesForOperator(t *testing.T) {
	s := openSite(t, t.TempDir())
	_, err := s.store.Operator.SignUp(t.Context(), "ada", testPassword)
	s.ok(err)
	garden := s.create("Garden", 1)
	s.close()
	until := func(said, begins string) time.Time {
		t.Helper()
		line, _, _ := strings.Cut(said, "\n")
		text, found := strings.CutPrefix(line, begins+" can undo it until ")
		when, err := time.Parse(time.RFC3339, text)
		if !found || err != nil {
			t.Fatalf("says %q (%v)", said, err)
		}
		return when
	}
	channel := until(mustRun(t, "channel", "close", "garden", "--data", s.data, "--undo", "5m"), "channel Garden is closed; an operator")
	account := until(mustRun(t, "user", "close", "ada", "--data", s.data), "account ada is closed; an operator with another account")
	if left := time.Until(channel); left > 5*time.Minute || left < 4*time.Minute {
		t.Errorf("the channel can be opened for %s", left)
	}
	if left := time.Until(account); left > 168*time.Hour || left < 167*time.Hour {
		t.Errorf("the account can be opened for %s", left)
	}
	s = openSite(t, s.data)
	if _, _, err := s.store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: testPassword}); !errors.Is(err, domain.ErrAccountClosed) {
		t.Errorf("the user signs in with %v", err)
	}
	if _, err := s.store.Deletions.Undo(t.Context(), garden.Ref(), domain.By("ada")); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the owner undoes it with %v", err)
	}
	otto := domain.Actor{User: "otto", Operator: true}
	if _, err := s.store.Accounts.Undo(t.Context(), "ada", otto); err != nil {
		t.Error(err)
	}
	if _, err := s.store.Deletions.Undo(t.Context(), garden.Ref(), otto); err != nil {
		t.Error(err)
	}
}

func TestUserResetCommand(t *testing.T) {
	t.Run("prints a link that sets a new password", resetPrintsLink)
	t.Run("prints a link to where the server listens that was asked", resetLinksToServer)
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

func resetLinksToServer(t *testing.T) {
	data := t.TempDir()
	r, site := serving(t, "--admin-listen", "127.0.0.1:0", "--data", data)
	out := mustRun(t, "user", "create", "ada", "--admin", r.admin(t), "--data", data)
	if !strings.HasPrefix(out, site+"/sign-in/reset?token=") {
		t.Errorf("a server at %s prints %q", site, out)
	}
	r.end(t)
}

func resetRefusesMissing(t *testing.T) {
	data := emptyStore(t)
	for name, want := range map[string]string{"zoe": "there is no user zoe", "no name": "<name>: may hold only"} {
		refused(t, exitCannotRun, want, "user", "reset", name, "--data", data)
	}
}
