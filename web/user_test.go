package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/web"
)

func TestUser(t *testing.T) {
	t.Run("one whose account is being deleted is gone from the pages of each process, and an undo brings everything back", leavingUserIsGone)
	t.Run("an address makes so many accounts in an hour", addressMakesSoManyAccounts)
}

func leavingUserIsGone(t *testing.T) {
	for _, posts := range []string{"delete", "keep"} {
		s, other := twoSites(t)
		ada, token := s.signUp("ada"), s.signUp("bob")
		s.author("eve")
		bobs, eves := s.channel("Wheels", "bob"), s.channel("Engines", "eve")
		s.post(bobs, "bob", "Round")
		liked := s.post(eves, "bob", "Pistons")
		s.vote(liked, 1)
		s.subscribe("ada", bobs, eves)
		// What a page has before and after, by what becomes of the posts elsewhere. TestRoutes looks for hidden names on each page.
		pages := []struct {
			path, has string
			gone      int
			stays     string // with the posts
		}{
			{"/users/bob", "Round", 410, ""}, {"/api/v1/users/bob", "bob", 410, ""}, {"/api/v1/users/bob/blogs", "Round", 410, ""}, {"/channels/Wheels", "Round", 410, ""},
			{"/channels", "Wheels", 200, ""}, {"/channels?contains=bob", "/users/bob", 200, ""}, {"/channels/Engines", "bob", 200, "Pistons"},
			{"/channels/Engines?order=rating", "bob", 200, "Pistons"}, {"/channels/Engines?find=Piston", "bob", 200, "Piston</mark>"}, {"/", "bob", 200, "Pistons"},
		}
		ask := func(gone bool) {
			t.Helper()
			for _, on := range []*site{s, other} {
				ok(t, on.store.Accounts.FindLeaving(t.Context())) // as the process of other does every few seconds
				for _, p := range pages {
					for _, who := range []change{bearer(ada), cookie(ada), header("Accept", "*/*")} {
						a := on.do("GET", p.path, who)
						if a.status == 401 {
							continue
						}
						status, has := 200, true
						if gone {
							status, has = p.gone, false
						}
						if got := strings.Contains(string(a.body), p.has); a.status != status || status == 200 && got != has {
							t.Errorf("posts %s, gone %t: %s is %d and has %q: %t", posts, gone, p.path, a.status, p.has, got)
						}
						if stays := strings.Contains(string(a.body), p.stays); gone && p.stays != "" && stays != (posts == "keep") {
							t.Errorf("posts %s: %s has %q: %t", posts, p.path, p.stays, stays)
						}
					}
				}
			}
		}
		ask(false)
		s.do("DELETE", "/api/v1/account", bearer(token), fields("password", password, "posts", posts)).want(202)
		ask(true)
		s.do("POST", "/api/v1/account/deletion/undo", bearer(s.session("bob"))).want(204)
		ask(false)
	}
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
	a.retries(60 * 60)
	s.browser().send("POST", "/sign-up", header("X-Forwarded-For", "192.0.2.1"), posted(url.Values{"name": {"eve"}, "password": {password}})).
		want(429).says("Too many tries", "Try again in")
	from("192.0.2.2", "eve").want(201)
	s.do("POST", "/api/v1/sessions", header("X-Forwarded-For", "192.0.2.1"), fields("name", "bob", "password", password)).want(201)
}

func TestAccessLog(t *testing.T) {
	t.Run("has the client's address only if that is asked for", accessLogHasAddresses)
	t.Run("has the user, also of a sign-in", accessLogHasUser)
}

func TestSignInLog(t *testing.T) {
	t.Run("names an account that exists, and nothing else that was typed", signInLogNamesAccounts)
	t.Run("has a line for an attempt that is throttled", signInLogHasThrottled)
	t.Run("has a line for a link that does not work", signInLogHasLinks)
	t.Run("has a line for a password that is tried with the key of a sign-up", signInLogHasSignUpKeys)
}

const clientAddress = "192.0.2.77"

func from(address string) change {
	return func(r *http.Request) { r.RemoteAddr = address + ":1234" }
}

// logged returns what a request adds to the log.
func (s *site) logged(request func()) string {
	before := len(s.log.String())
	request()
	return s.log.String()[before:]
}

func accessLogHasAddresses(t *testing.T) {
	for _, asked := range []bool{true, false} {
		s := newSiteWith(t, web.Options{Version: "test", LogAddresses: asked})
		logged := s.logged(func() {
			s.do("GET", "/channels", from(clientAddress)).want(200)
			s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password), from(clientAddress)).want(401)
		})
		want := 0
		if asked {
			want = 3 // two requests, and the sign-in that is refused
		}
		if strings.Count(logged, "client="+clientAddress) != want || !asked && strings.Contains(logged, "client=") {
			t.Errorf("asked for: %t, logged %s", asked, logged)
		}
	}
}

func accessLogHasUser(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for name, request := range map[string]func(){
		"a refused call": func() { s.do("DELETE", "/api/v1/channels/none", bearer(token)).want(404) },
		"a sign-in":      func() { s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(201) },
		"a sign-in of a page": func() {
			s.do("POST", "/sign-in", posted(url.Values{"name": {"ada"}, "password": {password}})).want(303)
		},
	} {
		if logged := s.logged(request); !strings.Contains(logged, "user=ada") {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
	for name, request := range map[string]func(){
		"a wrong token": func() { s.do("GET", "/api/v1/feed", bearer("wrong")).want(401) },
		"a refused visit": func() {
			s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", "wrong password")).want(401)
		},
	} {
		if logged := s.logged(request); strings.Contains(logged, "user=") {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
}

func signInLogNamesAccounts(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	sent := map[string]func(name, password string){
		"API": func(name, password string) {
			s.do("POST", "/api/v1/sessions", fields("name", name, "password", password), from(clientAddress)).want(401)
		},
		"page": func(name, password string) {
			s.do("POST", "/sign-in", posted(url.Values{"name": {name}, "password": {password}})).want(401)
		},
	}
	for where, attempt := range sent {
		logged := s.logged(func() { attempt("Ada", "SECRET password") })
		if !regexp.MustCompile(`msg="sign-in refused" reason="wrong credentials" account=ada request_id=\S+`).MatchString(logged) {
			t.Errorf("%s: logged %s", where, logged)
		}
		for _, name := range []string{"secret_password", "SECRET password"} {
			unknown := s.logged(func() { attempt(name, "SECRET password") })
			if !strings.Contains(unknown, "sign-in refused") || strings.Contains(unknown, "account=") {
				t.Errorf("%s: logged %s", where, unknown)
			}
			logged += unknown
		}
		if strings.Contains(strings.ToLower(logged), "secret") {
			t.Errorf("%s: what was typed is logged: %s", where, logged)
		}
	}
}

// guessUntilThrottled tries wrong passwords until none is checked. How many that takes is not
// sure: the window of the counters may end meanwhile.
func (s *site) guessUntilThrottled(name string) {
	s.Helper()
	for range 21 {
		if s.do("POST", "/api/v1/sessions", fields("name", name, "password", "wrong password")).status == http.StatusTooManyRequests {
			return
		}
	}
	s.Fatal("every wrong password is checked")
}

func signInLogHasThrottled(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	s.guessUntilThrottled("ada")
	logged := s.logged(func() { s.do("POST", "/api/v1/sessions", fields("name", "ada", "password", password)).want(429) })
	if !strings.Contains(logged, `reason="too many attempts"`) || strings.Contains(logged, "account=") {
		t.Errorf("logged %s", logged)
	}
}

func signInLogHasSignUpKeys(t *testing.T) {
	s := newSiteWith(t, web.Options{Version: "test", SignUps: 1})
	guesses := map[string]func(name, key, password, address string, status int){
		"API": func(name, key, password, address string, status int) {
			s.do("POST", "/api/v1/users", header("Idempotency-Key", key), fields("name", name, "password", password), from(address)).want(status)
		},
		"page": func(name, key, password, address string, status int) {
			s.do("POST", "/sign-up", posted(url.Values{"name": {name}, "password": {password}, "key": {key}}), from(address)).want(status)
		},
	}
	s.do("POST", "/api/v1/users", header("Idempotency-Key", "k"), fields("name", "ada", "password", password), from(clientAddress)).want(201)
	for where, guess := range guesses {
		logged := s.logged(func() { guess("Ada", "k", "SECRET password", clientAddress, 422) })
		if !regexp.MustCompile(`msg="sign-in refused" reason="wrong credentials" account=ada request_id=\S+`).MatchString(logged) {
			t.Errorf("%s: a wrong password: logged %s", where, logged)
		}
		if strings.Contains(logged, "SECRET") {
			t.Errorf("%s: what was typed is logged: %s", where, logged)
		}
		for what, sent := range map[string]func(){
			"another name with the key": func() { guess("grace", "k", password, "192.0.2.78", 422) },
			"a name that is taken":      func() { guess("ada", "another", password, clientAddress, 409) },
			"too many accounts":         func() { guess("grace", "another", password, clientAddress, 429) },
		} {
			if logged := s.logged(sent); strings.Contains(logged, "sign-in refused") {
				t.Errorf("%s: %s is no sign-in: logged %s", where, what, logged)
			}
		}
	}
}

func signInLogHasLinks(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	link, err := s.store.Operator.SignInLink(t.Context(), domain.UserName("ada"))
	ok(t, err)
	good := s.logged(func() { s.do("GET", "/sign-in/link?token="+link).want(303) })
	if strings.Contains(good, "sign-in refused") || !strings.Contains(good, "user=ada") {
		t.Errorf("a good link: logged %s", good)
	}
	used := s.logged(func() { s.do("GET", "/sign-in/link?token="+link).want(401) })
	if !strings.Contains(used, "sign-in refused") || strings.Contains(used, link) {
		t.Errorf("a used link: logged %s", used)
	}
}
