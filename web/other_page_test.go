package web_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/templates"
	"microblogging/web"
)

func TestOtherPage(t *testing.T) {
	t.Run("is answered by its handler alone, without the store", otherPageIsAnsweredWithoutTheStore)
	t.Run("has the header of its reader, and no cache shows it to another", otherPageHasTheHeaderOfItsReader)
	t.Run("fails in the look of the site", otherPageFailsInTheLookOfTheSite)
	t.Run("for programs fails in JSON", otherPageForProgramsFailsInJSON)
	t.Run("is led to by each page if it is the lab", labIsLedToByEachPage)
}

// otherSite is a site with a page that answers at /other, and one at /other/{name}, which
// says its name.
func otherSite(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error)) *site {
	return newSiteWith(t, web.Options{Version: "test", Routes: map[string]web.Handler{"/other": answer, "/other/{name}": answer}})
}

func otherPageIsAnsweredWithoutTheStore(t *testing.T) {
	var got templates.Page
	var name string
	s := otherSite(t, func(_ http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
		got, name = page, r.PathValue("name")
		return templates.Response{Status: 200, MediaType: "text/plain", Body: []byte("hello")}, nil
	})
	b := s.signedIn("ada")
	s.breakStore(everyCall(drivertest.ErrInjected))
	a := s.do("GET", "/other?x=1", b.cookies).want(200)
	if string(a.body) != "hello" || a.header.Get("X-Request-Id") == "" || a.header.Get("Content-Security-Policy") == "" {
		t.Errorf("%v %s", a.header, a.body)
	}
	if !got.Public || got.User != "" || got.Lab || got.Path != "/other?x=1" || got.Origin != "http://example.com" || got.Asset("app.css") == "" {
		t.Errorf("the page is %+v", got)
	}
	for path, want := range map[string]string{"/other/a%20b": "a b", "/other/a%2Fb": "a/b", "/other/%C3%84": "Ä"} {
		if s.do("GET", path).want(200); name != want {
			t.Errorf("%s has %q, want %q", path, name, want)
		}
	}
	s.do("HEAD", "/other").want(200)
	if allow := s.do("POST", "/other").want(405).header.Get("Allow"); !strings.Contains(allow, "GET") {
		t.Errorf("Allow %q", allow)
	}
	if log := s.log.String(); !strings.Contains(log, "path=/other status=200") {
		t.Errorf("logged %s", log)
	}
}

func otherPageHasTheHeaderOfItsReader(t *testing.T) {
	s := otherSite(t, func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.Header().Set("Vary", "Accept-Encoding")
		if r.PathValue("name") == "missing" {
			return templates.Response{}, domain.ErrNotFound
		}
		var body bytes.Buffer
		err := templates.KeysPage(page).Render(r.Context(), &body)
		return templates.Response{Status: 200, MediaType: "text/html; charset=UTF-8", Body: body.Bytes()}, err
	})
	b := s.signedIn("ada")
	var calls atomic.Int64
	s.breakStore(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		calls.Add(1)
		return send(ctx)
	})
	anonymous := s.do("GET", "/other").want(200)
	if calls.Load() > 0 || !strings.HasPrefix(anonymous.header.Get("Cache-Control"), "public") || !strings.Contains(anonymous.header.Get("Vary"), "Cookie") {
		t.Errorf("the page of an anonymous client costs %d calls: %v", calls.Load(), anonymous.header)
	}
	b.jar["notice"] = "posted"
	b.open("/other").want(200).says("Write", "New channel", "ada", "Your post is published.")
	own := s.do("GET", "/other", b.cookies).want(200)
	if own.header.Get("Cache-Control") != "private, no-cache" || own.header.Get("Etag") == anonymous.header.Get("Etag") || calls.Load() == 0 {
		t.Errorf("the page of a reader has %v", own.header)
	}
	s.do("GET", "/other", b.cookies, header("If-None-Match", anonymous.header.Get("Etag"))).want(200)
	b.open("/other/missing").want(404).says("Write", "ada")
	before := calls.Load()
	if s.do("GET", "/other/x.json", b.cookies).want(200); calls.Load() != before {
		t.Error("data for programs costs a call")
	}
}

// failures are what a handler may return, by the path that asks for it.
func failures() map[string]error {
	position := 3
	return map[string]error{
		"refusal": &templates.Refusal{Problem: templates.Problem{
			Position: &position, Status: 400, Title: "No such step", Detail: "It ends before.", Links: []templates.Link{{Label: "Back", URL: "/back"}},
		}},
		"busy":    &templates.Refusal{Problem: templates.Problem{Status: 503, Title: "Busy", Detail: "Many look.", RetryAfter: 2 * time.Second}},
		"missing": domain.ErrNotFound,
		"fault":   errors.New("SECRET"),
	}
}

func failing(_ http.ResponseWriter, r *http.Request, _ templates.Page) (templates.Response, error) {
	name, _, _ := strings.Cut(r.PathValue("name"), ".")
	if name == "panic" {
		panic("SECRET")
	}
	return templates.Response{}, failures()[name]
}

func otherPageFailsInTheLookOfTheSite(t *testing.T) {
	s := otherSite(t, failing)
	b := s.signedIn("ada")
	s.breakStore(everyCall(drivertest.ErrInjected))
	p := b.open("/other/refusal").want(400).heading("No such step").says("It ends before.", "Sign in", "Sign up").saysNot("ada")
	if p.href("Back") != "/back" {
		t.Errorf("no way back: %s", p.body)
	}
	is(t, "Retry-After", b.open("/other/busy").want(503).says("Many look. Try again in 2 seconds.").header.Get("Retry-After"), "2")
	b.open("/other/missing").want(404)
	if log := s.log.String(); strings.Contains(log, "level=ERROR") || strings.Count(log, "too busy") != 1 {
		t.Errorf("logged %s", log)
	}
	for _, path := range []string{"/other/fault", "/other/panic"} {
		before := len(s.log.String())
		b.open(path).want(500).saysNot("SECRET")
		if logged := s.log.String()[before:]; strings.Count(logged, "SECRET") != 1 {
			t.Errorf("%s logged %s", path, logged)
		}
	}
}

func otherPageForProgramsFailsInJSON(t *testing.T) {
	s := otherSite(t, failing)
	for path, status := range map[string]int{"refusal": 400, "busy": 503, "missing": 404, "fault": 500, "panic": 500} {
		a := s.do("GET", "/other/"+path+".json").want(status)
		a.headed("Content-Type", "application/problem+json")
		if position := a.get("position"); (path == "refusal") != (position == 3.0) {
			t.Errorf("%s: position %v", path, position)
		}
		a.lacks("SECRET").has(a.header.Get("X-Request-Id"))
	}
	a := s.do("POST", "/other/refusal.json").want(405)
	if got := a.header.Get("Content-Type"); got != "application/problem+json" || !strings.Contains(a.header.Get("Allow"), "GET") || !strings.Contains(a.text("detail"), "Allow") {
		t.Errorf("POST: %v %s", a.header, a.body)
	}
	if got := s.do("POST", "/other/refusal").want(405).header.Get("Content-Type"); got == "application/problem+json" {
		t.Error("POST: a page fails in JSON")
	}
	if got := s.do("PUT", "/channels/refusal.json").want(405).header.Get("Content-Type"); got == "application/problem+json" {
		t.Error("PUT: a page of a channel fails in JSON, because of its name")
	}
	is(t, "detail", s.do("GET", "/other/refusal.json").text("detail"), "It ends before.")
}

func labIsLedToByEachPage(t *testing.T) {
	b := newSiteWith(t, web.Options{Teach: true, Routes: map[string]web.Handler{templates.LabIndexPath: failing}}).browser()
	for _, path := range []string{"/", "/sign-in", "/nothing"} {
		is(t, path, b.open(path).href("Lab"), templates.LabIndexPath)
	}
	b = newSiteWith(t, web.Options{Routes: map[string]web.Handler{templates.LabIndexPath: failing}}).browser()
	for _, path := range []string{"/", "/how-deletion-works"} {
		b.open(path).saysNot("Lab", "lab", "Behind this page")
	}
}
