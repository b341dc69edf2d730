package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"microblogging/web"
)

func TestGuard(t *testing.T) {
	t.Run("HTTPS stays on after the first use", httpsStaysOnAfterTheFirstUse)
	t.Run("a trusted proxy says whether the connection is secure", trustedProxySaysWhetherTheConnectionIsSecure)
	t.Run("a request from another origin does nothing", requestFromAnotherOriginDoesNothing)
	t.Run("a body over 64 KiB is refused, announced or chunked", bodyOver64KiBIsRefusedAnnouncedOrChunked)
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

func requestFromAnotherOriginDoesNothing(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	token := header("Cookie", "__Host-session="+s.signUp("ada"))
	post := func(changes ...change) answer {
		return s.do("POST", "/api/v1/channels", append(changes, token, fields("name", "Engines"))...)
	}
	for _, foreign := range [][]change{
		{header("Sec-Fetch-Site", "cross-site")},
		{header("Sec-Fetch-Site", "same-site")},
		{header("Origin", "https://evil.example")},
		{header("Origin", "null")},
		{header("Sec-Fetch-Site", "cross-site"), header("Origin", "https://evil.example")},
	} {
		a := s.unwritten(func() answer { return post(foreign...) }).want(403)
		if a.text("detail") == "" {
			t.Errorf("no detail: %s", a.body)
		}
	}
	s.do("GET", "/api/v1/channels", header("Sec-Fetch-Site", "cross-site")).want(200)
	// A proxy may change the Host; the browser sends the origin of the base URL.
	post(header("Sec-Fetch-Site", "same-origin"), header("Origin", "https://blog.example")).want(201)
	post(header("Origin", "https://blog.example")).want(409)
}

func bodyOver64KiBIsRefusedAnnouncedOrChunked(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.channel("Engines", "ada")
	server := httptest.NewServer(s.handler)
	defer server.Close()
	padded := func(size int) string {
		body := `{"text":"a"}`
		return body + strings.Repeat(" ", size-len(body))
	}
	// The client cannot announce the length of a reader whose type it does not know.
	chunked := func(body string) io.Reader { return struct{ io.Reader }{strings.NewReader(body)} }
	announced := func(body string) io.Reader { return strings.NewReader(body) }
	for _, test := range []struct {
		name string
		body io.Reader
		want int
	}{
		{"64 KiB announced", announced(padded(64 << 10)), 201},
		{"64 KiB chunked", chunked(padded(64 << 10)), 201},
		{"a byte more announced", announced(padded(64<<10 + 1)), 413},
		{"a byte more chunked", chunked(padded(64<<10 + 1)), 413},
		{"much more chunked", chunked(padded(200 << 10)), 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			writes := s.writes.Load()
			status := postJSON(t, server.URL+"/api/v1/channels/Engines/blogs", token, test.body)
			if status != test.want {
				t.Errorf("status %d, want %d", status, test.want)
			}
			if test.want == 413 && s.writes.Load() != writes {
				t.Error("something was written")
			}
		})
	}
}

// postJSON sends a body over a real connection.
func postJSON(t *testing.T, url, token string, body io.Reader) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}
