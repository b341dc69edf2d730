package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestHint(t *testing.T) {
	t.Run("leads on from any run that can still break the law", hintLeadsOn)
	t.Run("says how far to go back", hintSaysHowFarToGoBack)
	t.Run("says that it cannot be broken from any step", hintSaysThatNothingHelps)
	t.Run("of a broken law is that it is broken", hintOfABrokenLaw)
}

func hintLeadsOn(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/A1?s=olga", "/lab/A2?s=w1,w2", "/lab/A4?s=ann:lost", "/lab/once?s=olga,ann", "/lab/late-copy?s=olga*4,w1", "/lab/look?s=vera"} {
		p := &player{s, s.get(path).want(200)}
		for steps := 0; p.won() == nil; steps++ {
			if steps > 30 {
				t.Fatalf("%s is not won after %d hints: %s", path, steps, p.at.path)
			}
			p.follow("data-move", "hint")
			p.follow("data-hint", "")
		}
	}
}

func hintSaysHowFarToGoBack(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/lab/A1?s=ann*2":             "Go back to step 1",
		"/lab/A1?s=ann,olga*2,w1,ann": "Go back to step 4",
		"/lab/A3?s=olga*2":            "Go back to step 1",
		"/lab/link-version?s=vera*4":  "Go back to step",
		"/lab/A1?s=ann*2,olga*2,w1*5": "Go back to step 1",
		"/lab/queue-first?s=olga*5":   "Go back to step",
	} {
		p := &player{s, s.get(path).want(200)}
		p.follow("data-move", "hint")
		p.at.says(want)
		p.follow("data-hint", "")
		p.follow("data-move", "hint")
		if strings.Contains(p.at.text(), "cannot be broken any more") {
			t.Errorf("%s leads to %s, where it cannot be broken either", path, p.at.path)
		}
	}
}

func hintSaysThatNothingHelps(t *testing.T) {
	s := newSite(t)
	p := &player{s, s.get("/lab/link-late").want(200)}
	p.follow("data-move", "hint")
	p.at.says("It cannot be broken")
	if p.try("data-hint", "") {
		t.Error("it leads somewhere")
	}
}

func hintOfABrokenLaw(t *testing.T) {
	s := newSite(t)
	p := &player{s, s.get("/lab/A3?s=olga:dies-after").want(200)}
	p.follow("data-move", "hint")
	p.at.says("It is broken already")
}

func TestGuardSwitch(t *testing.T) {
	t.Run("leads to the scenario without the guard, with the run", switchTurnsOff)
	t.Run("leads back", switchTurnsOn)
	t.Run("keeps as much of the run as is possible", switchKeepsWhatItCan)
	t.Run("is there for each guard of the scenario, and only there", switchesOfAScenario)
	t.Run("of unknown scenarios is not found", switchOfUnknown)
}

// switchesOf are the labels of the switches of a page, with what is checked.
func switchesOf(r response) map[string]string {
	states := map[string]string{}
	for n := range r.document().Descendants() {
		if n.Type == html.ElementNode && attribute(n, "role") == "switch" {
			states[textOf(n)] = attribute(n, "aria-checked")
		}
	}
	return states
}

func switchTurnsOff(t *testing.T) {
	s := newSite(t)
	p := &player{s, s.get("/lab/post?s=ann,olga*6,w1*12").want(200)}
	if got := switchesOf(p.at)["The open gate"]; got != "true" {
		t.Fatalf("the open gate is checked %q", got)
	}
	p.follow("role", "switch")
	if want := "/lab/open-gate?s=ann,olga*6,w1*12"; p.at.path != want {
		t.Fatalf("it leads to %s, want %s", p.at.path, want)
	}
	if got := switchesOf(p.at)["The open gate"]; got != "false" {
		t.Errorf("the open gate is checked %q", got)
	}
}

func switchTurnsOn(t *testing.T) {
	s := newSite(t)
	p := &player{s, s.get("/lab/open-gate?s=ann,olga*6,w1*12,ann").want(200)}
	p.follow("role", "switch")
	if want := "/lab/post?s=ann,olga*6,w1*12,ann"; p.at.path != want {
		t.Errorf("it leads to %s, want %s", p.at.path, want)
	}
}

func switchKeepsWhatItCan(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/lab/open-gate/from/post":                               "/lab/open-gate",
		"/lab/open-gate/from/post?s=ann,olga:lost,w1":            "/lab/open-gate?s=ann", // no mishap is allowed there
		"/lab/join/from/subscribe-twice?s=vera*2,vera2,vera":     "/lab/join?s=vera*2",   // vera2 is not there
		"/lab/subscribe-twice/from/join?s=vera*4":                "/lab/subscribe-twice?s=vera*4",
		"/lab/shut-gate/from/again?s=w1*12,w2*7,w1*3,ann*8,w2*3": "/lab/shut-gate?s=w1*12,w2*7,w1*3,ann*8,w2*3",
	} {
		r := s.get(path).want(302)
		if got := r.header.Get("Location"); got != want {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}

func switchesOfAScenario(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]int{"/lab/again": 3, "/lab/shut-gate": 3, "/lab/post": 1, "/lab/A1": 0, "/lab/crowd": 0} {
		if got := switchesOf(s.get(path).want(200)); len(got) != want {
			t.Errorf("%s has the switches %v, want %d", path, got, want)
		}
	}
}

func switchOfUnknown(t *testing.T) {
	s := newSite(t)
	s.get("/lab/nothing/from/post").want(404)
	s.get("/lab/post/from/nothing").want(404)
	s.get("/lab/open-gate/from/post?s=nobody").want(400)
}
