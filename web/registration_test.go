package web_test

import (
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/web"
)

func TestRegistration(t *testing.T) {
	t.Run("invited: without an invitation no visitor signs up, and the page says whom to ask", uninvitedAreRefused)
	t.Run("invited: an invitation makes one account", invitationSignsUpOnce)
	t.Run("closed: no visitor signs up, also not with an invitation", closedRefusesAll)
	t.Run("open: an invitation is used up as well", openUsesInvitations)
	t.Run("the pages of a site that is not open lead to Sign in and to no sign-up", headerHasNoSignUp)
	t.Run("the secret of an invitation is in no log and no request for a file, and its pages are stored nowhere", invitationStaysSecret)
	t.Run("the name of an operator is taken, with an account or without one", operatorNameIsTaken)
}

func newSiteOf(t *testing.T, registration domain.Registration) *site {
	return newSiteWith(t, web.Options{Version: "test", Registration: registration, Contact: "the desk", Operators: domain.Operators{"boss"}})
}

// invite makes an invitation, and returns its secret.
func (s *site) invite() string {
	s.Helper()
	secret, _, err := s.store.Accounts.Invite(s.Context(), "boss")
	ok(s, err)
	return secret
}

// accounts are how many there are.
func (s *site) accounts() (n int) {
	s.Helper()
	for _, err := range s.store.Operator.AllAccounts(s.Context()) {
		ok(s, err)
		n++
	}
	return n
}

// signsUp posts the form of a sign-up.
func signsUp(name, invitation string) change {
	return posted(url.Values{"name": {name}, "password": {password}, "invitation": {invitation}, "key": {"key of " + name}})
}

func uninvitedAreRefused(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationInvited)
	s.do("GET", "/sign-up").want(200).has("Sign-up is by invitation", "For an invitation, ask", "the desk").lacks("<form class=\"slim\"")
	s.do("POST", "/sign-up", signsUp("carol", "")).want(403).has("Sign-up is by invitation", "the desk")
	s.do("POST", "/api/v1/users", fields("name", "carol", "password", password)).want(403)
	s.do("POST", "/api/v1/users", fields("name", "carol", "password", password, "invitation", "")).want(403)
	for _, garbage := range []string{"x", "\x00/#", strings.Repeat("a", 3000)} {
		s.do("GET", templates.InvitationPath(garbage)).want(410).has("does not work any more")
		s.do("POST", "/sign-up", signsUp("carol", garbage)).want(410).has("does not work any more")
	}
	if n := s.accounts(); n != 0 {
		t.Errorf("%d accounts were made", n)
	}
}

func invitationSignsUpOnce(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationInvited)
	secret := s.invite()
	for range 3 { // to look at it spends nothing
		s.do("GET", templates.InvitationPath(secret)).want(200).has("You are invited", "It works once, until", "MicroBlogging")
	}
	form := s.browser().open(templates.InvitationPath(secret)).heading("You are invited").form("Sign up")
	mistaken := form.fill("name", "a").fill("password", password).press().want(422) // which spends nothing
	mistaken.form("Sign up").fill("name", "carol").fill("password", password).press().at("/")
	s.do("POST", "/sign-up", signsUp("dan", secret)).want(410).has("If you made your account with it, sign in")
	s.do("GET", templates.InvitationPath(secret)).want(410).has("does not work any more", `href="/sign-in"`)
	api := s.invite()
	s.do("POST", "/api/v1/users", fields("name", "eve", "password", password, "invitation", api), header("Idempotency-Key", "k")).want(201)
	s.do("POST", "/api/v1/users", fields("name", "eve", "password", password, "invitation", api), header("Idempotency-Key", "k")).want(200)
	s.do("POST", "/api/v1/users", fields("name", "fay", "password", password, "invitation", api)).want(410)
	if n := s.accounts(); n != 2 {
		t.Errorf("%d accounts were made", n)
	}
}

func closedRefusesAll(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationClosed)
	secret := s.invite()
	s.do("GET", "/sign-in").want(200).has("Sign-up is closed.")
	s.do("GET", "/sign-up").want(200).has("Sign-up is closed", "If you have questions, ask", "the desk")
	s.do("GET", templates.InvitationPath(secret)).want(200).has("Sign-up is closed", "also not with an invitation")
	for _, invitation := range []string{"", secret, "x"} {
		s.do("POST", "/sign-up", signsUp("carol", invitation)).want(403).has("Sign-up is closed")
		s.do("POST", "/api/v1/users", fields("name", "carol", "password", password, "invitation", invitation)).want(403).
			holds("detail", "This site makes no new accounts at the moment, with an invitation or without one.")
	}
	if _, err := s.store.Accounts.Invitation(t.Context(), secret); err != nil || s.accounts() != 0 {
		t.Errorf("the invitation is used (%v), or one of %d accounts was made", err, s.accounts())
	}
}

func openUsesInvitations(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationOpen)
	secret := s.invite()
	s.do("POST", "/sign-up", signsUp("carol", secret)).want(303)
	s.do("POST", "/sign-up", signsUp("dan", secret)).want(410)
	s.do("POST", "/sign-up", signsUp("dan", "")).want(303)
}

func headerHasNoSignUp(t *testing.T) {
	for registration, want := range map[domain.Registration]bool{domain.RegistrationOpen: true, domain.RegistrationInvited: false, domain.RegistrationClosed: false} {
		s := newSiteOf(t, registration)
		for _, path := range []string{"/", "/latest", "/channels", "/channels/none"} {
			if got := strings.Contains(string(s.do("GET", path).body), `href="/sign-up`); got != want {
				t.Errorf("%s: %s leads to a sign-up: %t", registration, path, got)
			}
		}
	}
}

func invitationStaysSecret(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationInvited)
	secret := s.invite()
	s.do("GET", templates.InvitationPath(secret)).headed("Cache-Control", "no-store").headed("Referrer-Policy", "strict-origin")
	s.do("POST", "/sign-up", signsUp("a", secret)).want(422).headed("Cache-Control", "no-store")
	s.do("POST", "/sign-up", signsUp("boss", secret)).want(409)
	s.do("POST", "/sign-up", signsUp("carol", secret)).want(303)
	s.do("POST", "/sign-up", signsUp("dan", secret)).want(410)
	s.do("GET", templates.InvitationPath(secret)).want(410).headed("Cache-Control", "no-store").headed("Referrer-Policy", "strict-origin")
	s.do("POST", "/api/v1/users", fields("name", "dan", "password", password, "invitation", secret)).want(410)
	if log := s.log.String(); !strings.Contains(log, "/sign-up") || strings.Contains(log, secret) {
		t.Errorf("the log is %s", log)
	}
}

func operatorNameIsTaken(t *testing.T) {
	s := newSiteOf(t, domain.RegistrationOpen)
	secret := s.invite()
	for _, name := range []string{"boss", "Boss"} {
		s.do("POST", "/sign-up", signsUp(name, secret)).want(409).has("belongs to an operator of this site")
		s.do("POST", "/api/v1/users", fields("name", name, "password", password)).want(409)
	}
	if n := s.accounts(); n != 0 {
		t.Errorf("%d accounts were made", n)
	}
	s.do("POST", "/sign-up", signsUp("carol", secret)).want(303) // what was refused has not used the invitation
}
