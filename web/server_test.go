package web_test

import (
	"bytes"
	"strings"
	"testing"
)

func TestServer(t *testing.T) {
	t.Run("a wrong method is told the right ones", wrongMethodIsToldTheRightOnes)
	t.Run("a versioned asset is kept for ever", versionedAssetIsKeptForEver)
}

func wrongMethodIsToldTheRightOnes(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/api/v1/channels":         "GET HEAD OPTIONS POST",
		"/api/v1/channels/Engines": "DELETE GET HEAD OPTIONS PATCH",
		"/api/v1/sessions/current": "DELETE OPTIONS",
		"/api/openapi.json":        "GET HEAD OPTIONS",
		"/":                        "GET HEAD OPTIONS",
		"/channels/new":            "GET HEAD OPTIONS POST",
	} {
		a := s.do("PROPFIND", path).want(405)
		allowed := strings.Split(a.header.Get("Allow"), ", ")
		for _, method := range strings.Fields(want) {
			if !strings.Contains(a.header.Get("Allow"), method) {
				t.Errorf("%s: Allow %q, want %s", path, a.header.Get("Allow"), want)
			}
		}
		if len(allowed) != len(strings.Fields(want)) || len(a.body) == 0 {
			t.Errorf("%s: Allow %q, want %s; %s", path, allowed, want, a.body)
		}
	}
	for _, path := range []string{"/api/v1", "/api/v1/", "/api/v1/channels/", "/api/v1/channels/a/b", "/api/v2/channels", "/nothing", "/channels/", "//evil.example/x"} {
		s.do("GET", path).want(404)
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
