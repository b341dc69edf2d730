package page_test

import (
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	t.Run("of no scenario is refused in the look of the site", requestOfNoScenarioIsRefused)
	t.Run("with what is no schedule is refused", requestWithNoScheduleIsRefused)
	t.Run("with too many choices is refused before they are made", requestWithTooManyChoicesIsRefused)
	t.Run("has one address", requestHasOneAddress)
}

func requestOfNoScenarioIsRefused(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/nothing", "/lab/A1/nothing", "/lab/A1%2F", "/lab/a1"} {
		r := s.get(path).want(404)
		if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Content-Type") != "text/html; charset=UTF-8" || !strings.Contains(r.body, "/static/app.") {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	if links := s.get("/lab/nothing").links(); !slices.Contains(links, "/lab") {
		t.Errorf("the page leads to %s", links)
	}
}

func requestWithNoScheduleIsRefused(t *testing.T) {
	s := newSite(t)
	for _, schedule := range []string{"eve", "ann:sleeps", "ann@300", "ann*0", "ann*x", "ann,,ann", ",", "ann*-1", "ann\x00", strings.Repeat("x", 100_000)} {
		r := s.get("/lab/A1?s=" + url.QueryEscape(schedule)).want(400)
		if !slices.Contains(r.links(), "/lab/A1") {
			t.Errorf("%q: no way back to the start", schedule)
		}
	}
}

func requestWithTooManyChoicesIsRefused(t *testing.T) {
	s := newSite(t)
	hostile := strings.TrimSuffix(strings.Repeat("ann*10000,", 1000), ",")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.get("/lab/A1?s=" + hostile).want(400).says("200")
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("a hostile address costs %d bytes", bytes)
	}
}

func requestHasOneAddress(t *testing.T) {
	s := newSite(t)
	for asked, want := range map[string]string{
		"s=ann,ann":              "/lab/A1?s=ann*2",
		"s=ann*1":                "/lab/A1?s=ann",
		"s=ann,%20ann&at=1":      "/lab/A1?s=ann*2&at=1",
		"s=ann,ann&at=2":         "/lab/A1?s=ann*2",
		"s=ann&at=1":             "/lab/A1?s=ann",
		"s=ann&at=01":            "/lab/A1?s=ann",
		"s=ann&rest=yes":         "/lab/A1?s=ann",
		"s=ann,ann&at=1&extra=1": "/lab/A1?s=ann*2&at=1",
	} {
		r := s.get("/lab/A1?" + asked).want(302)
		if got := r.header.Get("Location"); got != want {
			t.Errorf("%s leads to %s, want %s", asked, got, want)
		}
		s.get(want).want(200)
	}
	ended := s.finished("A1")
	if r := s.get("/lab/A1?rest=yes&s=" + ended).want(302); r.header.Get("Location") != "/lab/A1?s="+ended {
		t.Errorf("leads to %s", r.header.Get("Location"))
	}
	s.get("/lab/A1?s=" + ended + "&rest=1").want(200)
	s.get("/lab/A1?s=ann&rest=1").want(400) // an actor can go on
	for _, address := range []string{"", "?", "?s=", "?s=ann%2Colga", "?utm=1", "?s=ann,olga&at=1"} {
		s.get("/lab/A1" + address).want(200)
	}
}
