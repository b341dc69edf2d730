package web_test

import (
	"net/url"
	"strconv"
	"testing"

	"microblogging/web"
)

func TestUser(t *testing.T) {
	t.Run("an account can be used once it is made", accountCanBeUsedOnceItIsMade)
	t.Run("a bad account is refused field by field", badAccountIsRefusedFieldByField)
	t.Run("a new password ends every other session", newPasswordEndsEveryOtherSession)
	t.Run("a password is not changed without the old one", passwordIsNotChangedWithoutTheOldOne)
	t.Run("an address makes so many accounts in an hour", addressMakesSoManyAccounts)
	t.Run("a changed password ends every other session", changedPasswordEndsEveryOtherSession)
}

func accountCanBeUsedOnceItIsMade(t *testing.T) {
	s := newSite(t)
	a := s.do("POST", "/api/v1/users", fields("name", "Ada", "password", password)).want(201)
	if got := a.text("name"); got != "ada" {
		t.Errorf("name %q, want it in lower case", got)
	}
	token := s.do("POST", "/api/v1/sessions", fields("name", "aDA", "password", password)).want(201).text("token")
	s.do("POST", "/api/v1/channels", bearer(token), fields("name", "Engines")).want(201)
}

func badAccountIsRefusedFieldByField(t *testing.T) {
	s := newSite(t)
	for name, test := range map[string]struct{ name, password, field string }{
		"short name":       {"a", password, "name"},
		"short password":   {"ada", "123456789", "password"},
		"both, the second": {"a", "b", "password"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			s.do("POST", "/api/v1/users", fields("name", test.name, "password", test.password)).unwritten().want(422).wantField(test.field)
		})
	}
}

func newPasswordEndsEveryOtherSession(t *testing.T) {
	s := newSite(t)
	mine, other := s.signUp("ada"), s.session("ada")
	s.do("PUT", "/api/v1/users/me/password", bearer(mine),
		fields("old", password, "new", "a better password")).want(204)
	s.do("POST", "/api/v1/channels", bearer(other), fields("name", "Engines")).want(401)
	s.do("POST", "/api/v1/channels", bearer(mine), fields("name", "Engines")).want(201)
	s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(401)
	s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", "a better password")).want(201)
}

func passwordIsNotChangedWithoutTheOldOne(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.do("PUT", "/api/v1/users/me/password", bearer(token),
		fields("old", "not the password", "new", "a better password")).want(422).wantField("old")
	s.do("PUT", "/api/v1/users/me/password", bearer(token), fields("old", password, "new", "short")).unwritten().want(422).wantField("new")
	s.do("PUT", "/api/v1/users/me/password", fields("old", password, "new", "a better password")).unwritten().want(401)
	s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(201)
}

func addressMakesSoManyAccounts(t *testing.T) {
	s := newSiteWith(t, web.Options{TrustProxy: true, SignUps: 2})
	from := func(address, name string) answer {
		return s.do("POST", "/api/v1/users", header("X-Forwarded-For", address), fields("name", name, "password", password))
	}
	from("192.0.2.1", "ada").want(201)
	b := s.browser()
	b.send("POST", "/sign-up", header("X-Forwarded-For", "192.0.2.1"), posted(url.Values{"name": {"bob"}, "password": {password}}))
	a := from("192.0.2.1", "eve").unwritten().want(429)
	if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 || n > 60*60 {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	s.browser().send("POST", "/sign-up", header("X-Forwarded-For", "192.0.2.1"), posted(url.Values{"name": {"eve"}, "password": {password}})).
		want(429).says("Too many tries", "Try again in")
	from("192.0.2.2", "eve").want(201)
	s.do("POST", "/api/v1/sessions", header("X-Forwarded-For", "192.0.2.1"), fields("name", "bob", "password", password)).want(201)
}

func changedPasswordEndsEveryOtherSession(t *testing.T) {
	s := newSite(t)
	mine, other := s.signedIn("ada"), s.again("ada")
	form := mine.open("/account").want(200).form("Change password").fill("old", password).fill("new", "another good password")
	form.press().at("/account").says("Your password is changed.")
	mine.open("/account").want(200).saysNot("Your password is changed.")
	other.open("/account").want(401).form("Sign in").fill("name", "ada").fill("password", "another good password").
		press().at("/account")
	for _, test := range []struct{ old, new, field, detail string }{
		{"not the password", "yet another password", "old", "is not your password"},
		{"another good password", "short", "new", "10 to 256"},
		{"another good password", "1234567890", "new", "one of the commonest"},
		{"another good password", "\xff123456789", "new", "not valid UTF-8"},
	} {
		p := mine.open("/account").form("Change password").fill("old", test.old).fill("new", test.new).press().
			want(422).complains(test.field, test.detail)
		if values := p.form("Change password").values; values.Get("old")+values.Get("new") != "" {
			t.Errorf("passwords are sent back: %v", values)
		}
	}
	mine.open("/account").form("End all sessions").press().at("/sign-in").says("All your sessions have ended.")
	if len(mine.jar) != 0 {
		t.Errorf("cookies are left: %v", mine.jar)
	}
	mine.open("/account").want(401)
	other.open("/account").want(401)
}
