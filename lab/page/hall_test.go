package page_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestHall(t *testing.T) {
	t.Run("the question of a stop has the place of the rule, in each state of each way to the end, until the page answers it", hallIsAsked)
	t.Run("a question states nothing, so it holds in each state", questionsStateNothing)
	t.Run("no question is asked of one reader, or of a level that is no stop", hallIsNotAsked)
	t.Run("a textbook level shows the line of the production code once it is won", clauseComesWithTheWin)
}

// waysOf are the ways that the plan of the class takes, to the end of the stop.
func waysOf(t *testing.T, s *site, name string) []string {
	t.Helper()
	switch name {
	case "own-gate": // the buttons that its notes name
		return []string{recordOf(t, name).Schedule, taken(s, name, "olga*2 run:w1 run:w1 olga run:w1")}
	case "again":
		return []string{taken(s, name, recordOf(t, "shut-gate").Schedule+" run:w1 run:w1 run:w1 run:w2 run:w2 run:ann run:ann run:ann")}
	}
	return []string{recordOf(t, name).Schedule}
}

func hallIsAsked(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab/class").want(200)) {
		for _, way := range waysOf(t, s, name) {
			answered := 0
			for at := 0; answered == 0; at++ {
				path := "/lab/" + name + "?s=" + way + "&at=" + strconv.Itoa(at) + "&large=1"
				r := s.get(path)
				for r.status == 302 {
					r = s.get(r.header.Get("Location"))
				}
				r.want(200)
				rule := textOf(r.part("rule"))
				asks := len(within(r.part("rule"), "b")) > 0 && strings.Contains(rule, "?")
				won := len(r.all(func(n *html.Node) bool { return has(n, "data-won") })) > 0 || strings.Contains(r.text(), "What the safeguards refused")
				if asks == won {
					t.Errorf("%s: asks: %v, answers: %v: %s", r.path, asks, won, rule)
				}
				if asks && len(within(r.part("rule"), "del")) > 0 {
					t.Errorf("%s answers its question: %s", r.path, rule)
				}
				if won || at > 100 {
					answered = at
				}
			}
		}
	}
}

func questionsStateNothing(t *testing.T) {
	s := newSite(t)
	handout := s.get("/lab/class?handout=1").want(200)
	questions := handout.all(func(n *html.Node) bool { return hasClass(n, "question") })
	if len(questions) != 8 {
		t.Errorf("%d questions", len(questions))
	}
	for _, n := range questions {
		if text := textOf(n); !strings.HasSuffix(text, "?") || strings.ContainsAny(text, ".!") {
			t.Errorf("%q states something", text)
		}
	}
}

func hallIsNotAsked(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/A1?s=ann,olga*2,w1*3,ann,w1", "/lab/own-gate", "/lab/A4?large=1", "/lab/A4?s=ann:repeated&large=1"} {
		if r := s.get(path).want(200); strings.Contains(textOf(r.part("rule")), "?") || len(within(r.part("rule"), "del")) == 0 {
			t.Errorf("%s asks, or has no rule", path)
		}
	}
}

func clauseComesWithTheWin(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A1", "A2", "A3", "A4", "twice", "lost-message", "late-copy"} {
		for path, shown := range map[string]bool{"/lab/" + name: false, "/lab/" + name + "?s=" + recordOf(t, name).Schedule: true} {
			clause := s.get(path).want(200).all(func(n *html.Node) bool { return hasClass(n, "clause") })
			if (len(clause) > 0) != shown {
				t.Errorf("%s shows the clause: %v", path, !shown)
			}
		}
	}
	won := s.get("/lab/A3?s=olga:dies-after").want(200)
	if at := slices.IndexFunc(won.all(func(n *html.Node) bool { return hasClass(n, "clause") }), func(n *html.Node) bool {
		return strings.Contains(textOf(n), "s.Enqueue(ctx, message)") && strings.Contains(textOf(n), "in another order here")
	}); at < 0 {
		t.Error("what comes too late is said to be missing")
	}
}
