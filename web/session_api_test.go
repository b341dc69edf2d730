package web_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

func TestSessionAPI(t *testing.T) {
	t.Run("wrong credentials do not say which part is wrong", wrongCredentialsDoNotSayWhichPartIsWrong)
	t.Run("repeated failures are throttled even with the right password", repeatedFailuresAreThrottledEvenWithTheRightPassword)
	t.Run("a session that was ended is over", sessionThatWasEndedIsOver)
	t.Run("the cookie of a browser signs in to the API", cookieOfABrowserSignsInToTheAPI)
	t.Run("an invalid token is refused without a write", invalidTokenIsRefusedWithoutAWrite)
	t.Run("a session says when it expires", sessionSaysWhenItExpires)
}

func wrongCredentialsDoNotSayWhichPartIsWrong(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	wrong := s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", "not the password")).want(401)
	unknown := s.do("POST", "/api/v1/sessions", fields("name", "bob", "password", "not the password")).want(401)
	impossible := s.do("POST", "/api/v1/sessions", fields("name", "!", "password", "x")).want(401)
	for _, a := range []answer{unknown, impossible} {
		if a.text("title") != wrong.text("title") || a.text("detail") != wrong.text("detail") {
			t.Errorf("answers differ:\n%s%s", a.body, wrong.body)
		}
	}
}

func repeatedFailuresAreThrottledEvenWithTheRightPassword(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	attempt := func(guess string) answer {
		return s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", guess))
	}
	tries := 0
	for a := attempt("wrong"); a.status != http.StatusTooManyRequests; a = attempt("wrong") {
		a.want(401)
		if tries++; tries > 100 {
			t.Fatal("never throttled")
		}
	}
	a := attempt(password).want(429)
	if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 || n > 15*60 {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
}

func sessionThatWasEndedIsOver(t *testing.T) {
	s := newSite(t)
	mine, other := s.signUp("ada"), s.session("ada")
	s.do("DELETE", "/api/v1/sessions/current", bearer(mine)).want(204)
	a := s.do("DELETE", "/api/v1/sessions/current", bearer(mine)).want(401)
	if got := a.header.Get("WWW-Authenticate"); got == "" {
		t.Error("no WWW-Authenticate")
	}
	third, bob := s.session("ada"), s.signUp("bob")
	s.do("DELETE", "/api/v1/sessions", bearer(other)).want(204)
	s.do("DELETE", "/api/v1/sessions", bearer(other)).want(401)
	s.do("DELETE", "/api/v1/sessions", bearer(third)).want(401)
	s.do("POST", "/api/v1/channels", bearer(bob), fields("name", "Engines")).want(201)
}

func cookieOfABrowserSignsInToTheAPI(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.do("POST", "/api/v1/channels", cookie(token), fields("name", "Engines")).want(201)
	a := s.do("DELETE", "/api/v1/sessions/current", cookie(token)).want(204)
	cleared, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	if err != nil || cleared.Name != "session" || cleared.MaxAge >= 0 {
		t.Errorf("Set-Cookie %q", a.header.Get("Set-Cookie"))
	}
	s.do("POST", "/api/v1/channels", cookie(token), fields("name", "More")).want(401)
}

func invalidTokenIsRefusedWithoutAWrite(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	link, err := s.store.SignInLink(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	for name, credentials := range map[string]change{
		"none":                          func(*http.Request) {},
		"made up":                       bearer("AAAAAAAAAAAAAAAAAAAAAAAAAA"),
		"empty":                         header("Authorization", "Bearer "),
		"not bearer":                    header("Authorization", "Basic "+token),
		"a sign-in link":                bearer(link),
		"a made-up cookie":              cookie("AAAAAAAAAAAAAAAAAAAAAAAAAA"),
		"the cookie of https over http": header("Cookie", "__Host-session="+token),
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			s.unwritten(func() answer {
				return s.do("POST", "/api/v1/channels", credentials, fields("name", "Engines"))
			}).want(401)
		})
	}
}

func sessionSaysWhenItExpires(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	a := s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(201)
	expires, err := time.Parse(time.RFC3339, a.text("expiresOn"))
	if err != nil || time.Until(expires) < time.Hour {
		t.Errorf("expiresOn %q", a.text("expiresOn"))
	}
	if got := a.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("a token was sent with Cache-Control %q", got)
	}
}
