package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
	"microblogging/web"
)

func TestSession(t *testing.T) {
	t.Run("a session that was ended is over", sessionThatWasEndedIsOver)
	t.Run("wrong credentials do not say which part is wrong", wrongCredentialsDoNotSayWhichPartIsWrong)
	t.Run("credentials of another scheme are ignored", otherSchemesAreIgnored)
	t.Run("a token is told once and until when it works, and a new password ends the others", tokenIsToldOnceUntilANewPassword)
	t.Run("a session cookie is for this site only, whatever is around the name", sessionCookieIsForThisSiteOnly)
	t.Run("signing in never leads to another site", signingInNeverLeadsToAnotherSite)
	t.Run("a new account survives a throttled address", newAccountSurvivesAThrottledAddress)
	t.Run("signing in ends the session that the browser had, and no other", signingInEndsTheFormerSession)
	t.Run("no cache keeps a sign-in link, and no request for a file has it", noCacheKeepsASignInLink)
	t.Run("a sign-in link works once and not for HEAD", signInLinkWorksOnceAndNotForHEAD)
	t.Run("set anew by a link works, which does so once and ends all sessions", resetLinkSetsOnePassword)
}

func wrongCredentialsDoNotSayWhichPartIsWrong(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	wrong := s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", "not the password")).want(401)
	unknown := s.do("POST", "/api/v1/sessions", fields("name", "bob", "password", "not the password")).want(401)
	impossible := s.do("POST", "/api/v1/sessions", fields("name", "!", "password", "x")).want(401)
	for _, a := range []answer{unknown, impossible} {
		a.holds("title", wrong.text("title")).holds("detail", wrong.text("detail"))
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

func tokenIsToldOnceUntilANewPassword(t *testing.T) {
	s := newSite(t)
	other := s.signUp("ada")
	a := s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(201)
	if until, err := time.Parse(time.RFC3339, a.text("expiresOn")); err != nil || time.Until(until) <= 0 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("it works until %q (%v), and a cache may keep it: %q", a.text("expiresOn"), err, a.header.Get("Cache-Control"))
	}
	s.do("PUT", "/api/v1/users/me/password", bearer(a.text("token")), fields("old", password, "new", "another "+password)).want(204)
	s.do("DELETE", "/api/v1/sessions/current", bearer(other)).want(401)
	s.do("DELETE", "/api/v1/sessions/current", bearer(a.text("token"))).want(204)
	next := s.do("POST", "/sign-in", both(posted(url.Values{"name": {"ada"}, "password": {"another " + password}}), header("Cookie", "last=x.Engines; seen=0.1"))).want(303)
	if set := strings.Join(next.header.Values("Set-Cookie"), "\n"); !strings.Contains(set, "last=;") || !strings.Contains(set, "seen=;") {
		t.Errorf("what the device remembers of a user whose session has expired stays: %s", set)
	}
	refused := s.do("POST", "/sign-in", posted(url.Values{"name": {"ada"}, "password": {"not the password"}})).want(401)
	refused.lacks("not the password")
}

// A proxy that asks for a password of its own adds it to each request.
func otherSchemesAreIgnored(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for _, other := range []string{"Basic YWRhOnNlY3JldA==", "Digest username=ada", "Negotiate", "basic"} {
		ignored := header("Authorization", other)
		s.do("GET", "/channels/Engines", ignored).want(200)
		s.do("GET", "/api/v1/channels", ignored).want(200)
		for _, credentials := range []change{cookie(token), bearer(token)} { // the latter is a second header
			s.do("GET", "/account", ignored, credentials).want(200)
			s.do("POST", enginesBlogs, ignored, credentials, fields("text", other)).want(201)
		}
	}
}

func sessionCookieIsForThisSiteOnly(t *testing.T) {
	for base, want := range map[string]string{
		"":                      "session",
		"http://blogs.example":  "session",
		"https://blogs.example": "__Host-session",
	} {
		var options web.Options
		if base != "" {
			options.BaseURL, _ = url.Parse(base)
		}
		s := newSiteWith(t, options)
		s.author("ada")
		a := s.do("POST", "/sign-in", posted(url.Values{"name": {" @Ada "}, "password": {password}})).want(303)
		cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		ok(t, err)
		if cookie.Name != want || cookie.Secure != strings.HasPrefix(want, "__Host-") || !cookie.HttpOnly ||
			cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.Expires.IsZero() {
			t.Errorf("at %q: %s", base, a.header.Get("Set-Cookie"))
		}
	}
}

func signingInNeverLeadsToAnotherSite(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	s.channel("Ärger", "ada")
	for next, want := range map[string]string{
		"/channels/%C3%84rger?after=":  "/channels/%C3%84rger?after=",
		"/channels/Ärger":              "/channels/%C3%84rger",
		"/latest#post-1!b":             "/latest#post-1!b",
		"":                             "/",
		"channels":                     "/",
		"//evil.example":               "/",
		"/\t/evil.example":             "/",
		" //evil.example":              "/",
		"https://evil.example/":        "/",
		"/channels\r\nSet-Cookie: a=b": "/",
	} {
		b := s.browser()
		form := b.open("/sign-in?next="+url.QueryEscape(next)).want(200).form("Sign in").fill("name", "ada").fill("password", password)
		form.press().at(want)
		if got := s.again("ada").open("/sign-in?next=" + url.QueryEscape(next)); got.path != want {
			t.Errorf("signed in already, %q leads to %q", next, got.path)
		}
		// A next that is only in the sent form is no safer.
		r := s.browser()
		form.values.Set("next", next)
		r.send("POST", "/sign-in", posted(form.values)).at(want)
	}
}

func newAccountSurvivesAThrottledAddress(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	for i := range 10 {
		name := string(s.author("user_" + strconv.Itoa(i)))
		for range 6 {
			s.do("POST", "/sign-in", posted(url.Values{"name": {name}, "password": {"wrong"}}))
		}
	}
	b.open("/sign-up?next=/channels/new").form("Sign up").fill("name", "ada").fill("password", password).press().
		at("/sign-in").says("Your account is ready.").
		form("Sign in").fill("name", "ada").fill("password", password).press().want(429)
	s.again("ada").open("/channels/new").want(200)
}

func signingInEndsTheFormerSession(t *testing.T) {
	s := newSite(t)
	other := s.signUp("ada")
	b := s.again("ada")
	ends := func(how string, signIn func()) {
		t.Helper()
		former := b.jar["session"]
		s.do("GET", "/account", cookie(former)).want(200)
		if signIn(); b.jar["session"] == former {
			t.Errorf("%s: it is the same session", how)
		}
		s.do("GET", "/account", cookie(former)).want(401)
		s.do("GET", "/account", b.cookies).want(200)
	}
	fill := func(name, password string) change {
		return posted(url.Values{"name": {name}, "password": {password}, "key": {name}})
	}
	ends("by the form", func() { b.send("POST", "/sign-in", fill("ada", password)).at("/") })
	ends("as another", func() { b.send("POST", "/sign-up", fill("bob", password)).at("/") })
	ends("by a link", func() {
		token, err := s.store.Operator.SignInLink(t.Context(), "ada")
		ok(t, err)
		b.open("/sign-in/link?token=" + token).at("/")
	})
	// A refused attempt, a program and a session that has ended end nothing.
	b.send("POST", "/sign-in", fill("ada", "not the password")).want(401)
	b.send("GET", "/sign-in/link?token=x").want(401)
	s.do("POST", "/api/v1/sessions", b.cookies, fields("name", "ada", "password", password)).want(201)
	s.do("GET", "/account", b.cookies).want(200)
	s.do("GET", "/account", cookie(other)).want(200)
	s.do("DELETE", "/api/v1/sessions/current", b.cookies).want(204)
	b.send("POST", "/sign-in", fill("ada", password)).at("/")
	// What the store does not end is not replaced: the next attempt ends it.
	former := b.jar["session"]
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Sessions" && call.Partition == schema.SessionPartition(former) && call.Writes() {
			return drivertest.ErrInjected
		}
		return send(ctx)
	})
	b.send("POST", "/sign-in", fill("ada", password)).want(503)
	s.mendStore()
	is(t, "the browser has", b.jar["session"], former)
}

func noCacheKeepsASignInLink(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	token, err := s.store.Operator.SignInLink(t.Context(), "ada")
	ok(t, err)
	for _, request := range []string{"/sign-in/reset?token=" + token, "/sign-in/link?token=" + token, "/sign-in/link?token=" + token} {
		s.do("GET", request).headed("Cache-Control", "no-store").headed("Referrer-Policy", "strict-origin")
	}
}

func signInLinkWorksOnceAndNotForHEAD(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	token, err := s.store.Operator.SignInLink(t.Context(), "ada")
	ok(t, err)
	link := "/sign-in/link?token=" + token
	s.do("HEAD", link).want(405) // as a chat does to preview a link
	b := s.browser()
	b.open(link).at("/").says("ada")
	used := s.browser()
	p := used.open(link).want(401).says("This link does not work any more", "prints a new one each time it is started with --sample")
	p.lacks(token)
	p.form("Sign in").fill("name", "ada").fill("password", password).press().at("/").says("ada")
	for _, bad := range []string{"", "?token=", "?token=%00", "?token=" + s.session("ada")} {
		s.browser().open("/sign-in/link" + bad).want(401)
	}
	if log := s.log.String(); strings.Contains(log, token) {
		t.Error("the log holds the link")
	}
}

func resetLinkSetsOnePassword(t *testing.T) {
	s, before, _ := engines(t, "ada")
	token, err := s.store.Operator.SignInLink(t.Context(), "ada")
	ok(t, err)
	link := "/sign-in/reset?token=" + token
	b, late := s.browser(), s.browser().open(link)
	late.says("A password for ada")
	b.open(link).form("Set the new password").fill("password", "short").press().want(422).says("A password for ada")
	b.open(link).form("Set the new password").fill("password", "a better password").press().
		at("/sign-in").says("Your new password is set.").
		form("Sign in").fill("name", "ada").fill("password", "a better password").press().at("/").says("ada")
	s.browser().open("/sign-in").form("Sign in").fill("name", "ada").fill("password", password).press().want(401)
	s.do("GET", "/account", cookie(before)).want(401)
	used := s.browser().open(link).want(401).says("This link does not work any more")
	used.lacks(token)
	late.form("Set the new password").fill("password", "another password").press().want(401).says("This link does not work any more")
	for _, none := range []string{"", "?token=", "?token=x", "?token=" + s.session("ada")} {
		s.browser().open("/sign-in/reset" + none).want(401).says("This link does not work any more")
	}
	s.browser().open("/sign-in/link?token=" + token).want(401)
	if log := s.log.String(); strings.Contains(log, token) {
		t.Error("the log holds the link")
	}
}
