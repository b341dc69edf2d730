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
	t.Run("that is wrong is answered with a sentence and a way on", wrongRequestIsASentence)
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
	s.get("/lab/A1?s=eve").want(400) // the first page makes the list of all scenarios, which is no cost of an address
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.get("/lab/A1?s=" + hostile).want(400).says("200")
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<19 {
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

func wrongRequestIsASentence(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("ann,", 3000)
	for _, wrong := range []struct {
		path   string
		status int
		says   string
	}{
		{"/lab/nothing?s=ann", 404, "The lab has no such level"},
		{"/lab/own/nothing", 404, "The lab has no such level"},
		{"/lab/A1/graph", 404, "The lab has no such level"},
		{"/lab/A1%20", 404, "The lab has no such level"},
		{"/lab/A1.json.svg", 404, "The lab has no such level"},
		{"/lab/A1?s=%zz", 400, "The address cannot be read: invalid URL escape \"%zz\"."},
		{"/lab/A1?s=ann;olga", 400, "The address cannot be read"},
		{"/lab/A1?s=w1", 400, "Step 1, \"w1\": what can happen here is ann, olga."},
		{"/lab/A1?s=ann*3", 400, "Step 3, \"ann\": what can happen here is olga."},
		{"/lab/A1?s=eve", 400, "scenario A1 has no actor \"eve\""},
		{"/lab/A1?s=olga:sleeps", 400, "there is no fate \"sleeps\""},
		{"/lab/A1?s=ann@256", 400, "is not the number of a message"},
		{"/lab/A1?s=ann*201", 400, "a run has 200 steps at most."},
		{"/lab/A1?s=" + long, 400, "a run has 200 steps at most."},
		{"/lab/A1?s=ann&at=2", 400, "from 0 to 1, which is the end of this run."},
		{"/lab/A1?s=ann&at=-1", 400, "“at” is a number of steps"},
		{"/lab/A1?at=99999999999999999999", 400, "“at” is a number of steps"},
		{"/lab/A1?s=ann&at=two", 400, "“at” is a number of steps"},
		{"/lab/A1?run=eve", 400, "There is no such actor"},
		{"/lab/A1?run=ann&s=ann*3", 400, "That run is not possible"},
		{"/lab/A1?rest=1", 400, "New workers carry on when no actor can go on."},
		{"/lab/A1?s=w1&graph=1", 400, "That run is not possible"},
		{"/lab/A1?s=w1&reach=1", 400, "That run is not possible"},
		{"/lab/A1?s=w1&search=1", 400, "That run is not possible"},
		{"/lab/A2?graph=1", 400, "There is no graph of this level"},
		{"/lab/A1.svg?s=w1", 400, "That run is not possible"},
		{"/lab/A1.mmd?at=1", 400, "There is no such step"},
		{"/lab/lost-message?s=olga*2,network:forgotten@3", 400, "what can happen here is w1, network:forgotten."},
		{"/lab/class?A1=%zz", 400, "The address cannot be read"},
		{"/lab/class?A1=ann*201", 200, "not a run: step 201 is not possible"},
		{"/lab/class?A1=w1&A2=eve", 200, "Checked: 0 of 2 won"},
		{"/lab/build?l=99", 400, "“l” is the number of a level, from 1 to 5."},
		{"/lab/build?l=1&c=nothing", 400, "“c” is none of the conditions of this level."},
		{"/lab/build?l=3&c=channel", 400, "No transaction spans both."},
	} {
		r := s.get(wrong.path)
		if r.want(wrong.status).says(wrong.says); len(r.links()) == 0 || !slices.ContainsFunc(r.links(), func(link string) bool { return strings.HasPrefix(link, "/lab") }) {
			t.Errorf("%s leads nowhere in the lab", wrong.path)
		}
	}
	if said := s.log.String(); strings.Contains(said, "status=5") || strings.Contains(said, "level=ERROR") {
		t.Error(said)
	}
}
