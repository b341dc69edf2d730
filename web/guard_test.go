package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/web"
)

func TestGuard(t *testing.T) {
	t.Run("HTTPS stays on after the first use", httpsStaysOnAfterTheFirstUse)
	t.Run("a trusted proxy says whether the connection is secure", trustedProxySaysWhetherTheConnectionIsSecure)
	t.Run("the base URL is no other origin", baseURLIsNoOtherOrigin)
}

func httpsStaysOnAfterTheFirstUse(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	if got := s.do("GET", "/healthz").header.Get("Strict-Transport-Security"); got == "" {
		t.Error("no Strict-Transport-Security")
	}
	token := s.signUp("ada")
	s.do("POST", "/api/v1/channels", header("Cookie", "session="+token), fields("name", "Engines")).want(401)
	s.do("POST", "/api/v1/channels", header("Cookie", "__Host-session="+token), fields("name", "Engines")).want(201)
}

func trustedProxySaysWhetherTheConnectionIsSecure(t *testing.T) {
	for _, trust := range []bool{true, false} {
		s := newSiteWith(t, web.Options{TrustProxy: trust})
		token := s.signUp("ada")
		a := s.do("DELETE", "/api/v1/sessions/current", header("X-Forwarded-Proto", "https"),
			header("Cookie", "__Host-session="+token+"; session="+token)).want(204)
		cleared, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		if err != nil {
			t.Fatal(err)
		}
		if cleared.Secure != trust || strings.HasPrefix(cleared.Name, "__Host-") != trust ||
			!cleared.HttpOnly || cleared.SameSite != http.SameSiteLaxMode || cleared.Path != "/" || cleared.Domain != "" {
			t.Errorf("trusted %t: %s", trust, cleared)
		}
	}
}

// A proxy may change the Host; the browser sends the origin of the base URL.
func baseURLIsNoOtherOrigin(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	token := header("Cookie", "__Host-session="+s.signUp("ada"))
	create := func(name, origin string) answer {
		return s.do("POST", "/api/v1/channels", token, header("Origin", origin), fields("name", name))
	}
	create("Engines", "https://blog.example").want(201)
	create("Wheels", "https://evil.example").want(403)
}
