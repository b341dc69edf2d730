package web_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServer(t *testing.T) {
	t.Run("HEAD answers like GET without a body", headAnswersLikeGETWithoutABody)
	t.Run("a wrong method is told the right ones", wrongMethodIsToldTheRightOnes)
	t.Run("a versioned asset is kept for ever", versionedAssetIsKeptForEver)
}

func headAnswersLikeGETWithoutABody(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	server := httptest.NewServer(s.handler)
	defer server.Close()
	// Go's client would ask for gzip if it gets the body, and not for the head alone.
	server.Client().Transport.(*http.Transport).DisableCompression = true
	for _, path := range []string{
		"/healthz", "/readyz", "/api/openapi.json", "/api/v1/channels", "/api/v1/channels/Engines", "/api/v1/channels/Engines/blogs",
		blogPath(channel, blog.ID), "/api/v1/channels/nothing", "/static/app.css",
	} {
		get, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(get.Body)
		if err := get.Body.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		head, err := server.Client().Head(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := head.Body.Close(); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"Etag", "Content-Type", "Cache-Control"} {
			if head.Header.Get(name) != get.Header.Get(name) {
				t.Errorf("%s: %s is %q, want %q", path, name, head.Header.Get(name), get.Header.Get(name))
			}
		}
		if head.StatusCode != get.StatusCode || len(want) == 0 {
			t.Errorf("%s: status %d, want %d", path, head.StatusCode, get.StatusCode)
		}
	}
}

func wrongMethodIsToldTheRightOnes(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/api/v1/channels":         "GET HEAD OPTIONS POST",
		"/api/v1/channels/Engines": "DELETE GET HEAD OPTIONS PATCH",
		"/api/v1/sessions/current": "DELETE OPTIONS",
		"/api/openapi.json":        "GET HEAD OPTIONS",
	} {
		a := s.do("PROPFIND", path).want(405)
		allowed := strings.Split(a.header.Get("Allow"), ", ")
		for _, method := range strings.Fields(want) {
			if !strings.Contains(a.header.Get("Allow"), method) {
				t.Errorf("%s: Allow %q, want %s", path, a.header.Get("Allow"), want)
			}
		}
		if len(allowed) != len(strings.Fields(want)) || a.text("title") == "" {
			t.Errorf("%s: Allow %q, want %s; %s", path, allowed, want, a.body)
		}
	}
}

func versionedAssetIsKeptForEver(t *testing.T) {
	s := newSite(t)
	page := s.do("GET", "/").body
	_, after, found := bytes.Cut(page, []byte(`href="/static/app.`))
	if !found {
		t.Fatalf("no style sheet in %s", page)
	}
	name, _, _ := bytes.Cut(after, []byte(`"`))
	a := s.do("GET", "/static/app."+string(name)).want(200)
	if got := a.header.Get("Cache-Control"); !strings.Contains(got, "immutable") || a.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("Cache-Control %q, Vary %q", got, a.header.Get("Vary"))
	}
}
