package page_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestGraph(t *testing.T) {
	t.Run("a level with at most 60 states leads to a graph of all of them, and another one says that there is none", graphOfFewStates)
	t.Run("each circle leads to its state, of which the level says what the circle does", circlesLead)
	t.Run("a circle keeps as much of the run as can be", circlesKeepTheRun)
	t.Run("the run is marked, with the step since which every way violates, and ends where it violates", graphMarksTheRun)
	t.Run("what can happen next is a link in words", graphOffersSteps)
	t.Run("it has a title, a description, and words for each color, and stays for a projector", graphHasWords)
	t.Run("each line leads down, and no two circles are in one place", linesLeadDown)
}

// circles are the links of the states of a graph.
func (r response) circles() []*html.Node {
	return r.all(func(n *html.Node) bool { return n.Data == "a" && len(within(n, "circle")) > 0 })
}

// shownState is the circle that is shown.
func (r response) shownState() string {
	for _, n := range r.circles() {
		if attribute(n, "aria-current") == "step" {
			return attribute(n, "aria-label")
		}
	}
	return ""
}

func graphOfFewStates(t *testing.T) {
	s, drawn := newSite(t), 0
	for _, record := range allKnown(t) {
		if record.Invariant == "" || record.Searched == 0 || record.Searched > 500 {
			continue
		}
		path := "/lab/" + record.Name + "?graph=1"
		leads := slices.Contains(s.get("/lab/"+record.Name).want(200).links(), path)
		if record.Searched > 60 {
			if s.get(path).want(400).says("There is no graph of this level", "60 states"); leads {
				t.Errorf("%s has %d states, and its page leads to a graph", record.Name, record.Searched)
			}
			continue
		}
		r := s.get(path).want(200).says(strconv.Itoa(record.Searched) + " states")
		if drawn++; len(r.circles()) != record.Searched || !leads {
			t.Errorf("%s has %d states, and a graph of %d, to which its page leads: %v", record.Name, record.Searched, len(r.circles()), leads)
		}
	}
	if drawn < 10 {
		t.Errorf("%d levels have a graph", drawn)
	}
	s.get("/lab/again?graph=1").want(400).says("There is no graph of this level")
	s.get("/lab/own/lease-lock-without-fence?graph=1").want(400).says("There is no graph of this level")
}

func circlesLead(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A1", "A4"} {
		for _, c := range s.get("/lab/" + name + "?graph=1").want(200).circles() {
			there := s.get(attribute(c, "href")).want(200)
			if there.shownState() != attribute(c, "aria-label") {
				t.Errorf("%q leads to %q", attribute(c, "aria-label"), there.shownState())
			}
			_, kind, _ := strings.Cut(attribute(c, "aria-label"), ": ")
			says := map[string]string{"violated": "✓ won", "every way on violates": "✓ every way on wins", "both can happen": "✓ can still be won", "no way on violates": "⊘ cannot be won"}[kind]
			level := strings.TrimSuffix(strings.TrimSuffix(attribute(c, "href"), "graph=1"), "?")
			s.get(strings.TrimSuffix(level, "&")).want(200).says(says)
			there.says(strings.TrimPrefix(kind, "State "))
		}
	}
}

func circlesKeepTheRun(t *testing.T) {
	s := newSite(t)
	for run, want := range map[string][]string{
		"olga*2,w1,ann": {"/lab/A1?graph=1", "/lab/A1?s=olga&graph=1", "/lab/A1?s=olga*2,w1&graph=1", "/lab/A1?s=olga*2,w1,ann&graph=1", "/lab/A1?s=olga*2,w1,ann,w1*2&graph=1"},
		"ann,olga":      {"/lab/A1?s=ann,olga*2,w1*3,ann&graph=1", "/lab/A1?s=olga&graph=1"},
	} {
		var links []string
		for _, c := range s.get("/lab/A1?s=" + run + "&graph=1").want(200).circles() {
			links = append(links, attribute(c, "href"))
		}
		for _, link := range want {
			if !slices.Contains(links, link) {
				t.Errorf("from %s no circle leads to %s, but to %q", run, link, links)
			}
		}
	}
}

func graphMarksTheRun(t *testing.T) {
	s := newSite(t)
	mine := func(r response, tag string) int {
		return len(r.all(func(n *html.Node) bool { return n.Data == tag && hasClass(n, "mine") }))
	}
	const way = "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2"
	for steps := range 10 {
		r := s.get("/lab/A1?s=ann,olga*2,w1*3,ann,w1*2&at=" + strconv.Itoa(steps) + "&graph=1")
		if steps == 9 {
			r = s.get(way + "&graph=1")
		}
		r.want(200).says("after " + strconv.Itoa(steps) + " step")
		if mine(r, "circle") != steps+1 || mine(r, "path") != steps {
			t.Errorf("of %d steps %d states and %d lines are marked", steps, mine(r, "circle"), mine(r, "path"))
		}
		if said := strings.Contains(r.text(), "because of this: since then"); said != (steps >= 6) {
			t.Errorf("after %d steps it says because of which one: %v", steps, said)
		}
	}
	s.get(way+"&graph=1").says("The invariant “no orphan post” is violated. A post is left of a channel that is gone.", "State 34, after 9 steps")
	s.get("/lab/A1?s=olga&graph=1").says("No way on violates “no orphan post”.")
	s.get("/lab/A1?s=w1&graph=1").want(400).says("That run is not possible")
	longer := s.get("/lab/poison-version?s=operator*5,w1*9,operator,w1&graph=1").want(200).says("after 15 steps", "is violated.")
	if mine(longer, "path") != 15 {
		t.Errorf("%d lines are marked of a run that violates the invariant with step 15", mine(longer, "path"))
	}
}

func graphOffersSteps(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab/A1?s=ann,olga*2,w1*3&graph=1").want(200).says("ann Insert the post, and ask for nothing else to 25: every way on violates")
	for _, link := range []string{"/lab/A1?s=ann,olga*2,w1*3,ann&graph=1", "/lab/A1?s=ann,olga*2,w1*4&graph=1", "/lab/A1?s=ann,olga*2,w1*2&graph=1", "/lab/A1?s=ann,olga*2,w1*3", "/lab/A1?graph=1"} {
		if !slices.Contains(r.links(), link) {
			t.Errorf("nothing leads to %s", link)
		}
	}
	s.get("/lab/A3?graph=1").says("olga Mark the channel that has the name, whichever it is, as being deleted dies before it to 3: no way on violates")
}

func graphHasWords(t *testing.T) {
	r := newSite(t).get("/lab/A1?s=ann&graph=1&large=1").want(200).says(
		"All 35 states of “no orphan post”", "In 1 the invariant is violated, from 5 every way violates it, from 6 both can happen, and from 23 no way violates it.",
		"1 violated", "5 every way on violates", "6 both can happen", "23 no way on violates", "start", "step 10", "olga Send a message to the workers")
	for _, link := range r.links() {
		if strings.HasPrefix(link, "/lab/A1") && !strings.HasSuffix(link, "large=1") {
			t.Errorf("%s is not for a projector", link)
		}
	}
	if strings.Contains(r.body, "style=") {
		t.Error("a style is inline, which the browser refuses")
	}
}

func linesLeadDown(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A1", "A3", "lost-message", "poison-last"} {
		r := s.get("/lab/" + name + "?graph=1").want(200)
		places := map[string]bool{}
		for _, c := range r.circles() {
			circle := within(c, "circle")[0]
			places[attribute(circle, "cx")+" "+attribute(circle, "cy")] = true
		}
		if len(places) != len(r.circles()) {
			t.Errorf("%s: %d circles in %d places", name, len(r.circles()), len(places))
		}
		for _, line := range r.all(func(n *html.Node) bool { return hasClass(n, "way") }) {
			points := strings.Split(strings.TrimPrefix(attribute(line, "d"), "M"), "L")
			if !places[points[0]] || !places[points[len(points)-1]] {
				t.Errorf("%s: the line %s does not join two circles", name, attribute(line, "d"))
			}
			last := 0
			for _, point := range points {
				_, y, _ := strings.Cut(point, " ")
				if at, _ := strconv.Atoi(y); at <= last {
					t.Errorf("%s: the line %s does not lead down", name, attribute(line, "d"))
				} else {
					last = at
				}
			}
		}
	}
}
