package page_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestComparePage(t *testing.T) {
	t.Run("leads to a story that breaks the textbook and to one that does not break ours", comparePageLeadsToBothStories)
	t.Run("names the guard that refuses, with its line of Go", comparePageNamesTheGuard)
	t.Run("marks where the two differ", comparePageMarksWhereTheyDiffer)
	t.Run("explains by itself why ours refuses", comparePageExplainsItself)
	t.Run("shows the call that everything hangs on, and does not fold it away", comparePageShowsTheCall)
	t.Run("is there for the anomalies alone", comparePageIsThereForAnomaliesAlone)
}

// stories returns the scenarios and the schedules that the page leads to.
func (r response) stories() (scenarios, schedules []string) {
	r.Helper()
	for _, link := range r.links() {
		u, err := url.Parse(link)
		if err != nil {
			r.Fatal(err)
		}
		if s := u.Query().Get("s"); s != "" {
			scenarios, schedules = append(scenarios, strings.TrimPrefix(u.Path, "/lab/")), append(schedules, s)
		}
	}
	return scenarios, schedules
}

func comparePageLeadsToBothStories(t *testing.T) {
	s := newSite(t)
	for _, anomaly := range []string{"A1", "A2", "A3", "A4"} {
		p := s.get("/lab/" + anomaly + "/compare").want(200)
		scenarios, schedules := p.stories()
		if won := s.get("/lab/" + anomaly + "?s=" + schedules[0]).want(200).links(); !slices.Contains(won, "/lab/"+anomaly+"/compare") {
			t.Errorf("whoever has broken %s is not led here, but to %s", anomaly, won)
		}
		if len(scenarios) != 2 || scenarios[0] != anomaly || scenarios[1] == anomaly {
			t.Fatalf("%s leads to %s", anomaly, scenarios)
		}
		textbook, ours := s.state(scenarios[0], schedules[0]), s.state(scenarios[1], schedules[1])
		if !textbook.isBroken() || ours.isBroken() || len(ours.Choices) > 0 {
			t.Errorf("%s: the textbook %+v, ours %+v, which offers %v", anomaly, textbook.Laws, ours.Laws, ours.Choices)
		}
		for _, l := range textbook.Laws {
			if l.State == "broken" {
				p.says(strings.TrimPrefix(l.Reason, anomaly+": "))
			}
		}
		for _, other := range []string{"A1", "A2", "A3", "A4"} {
			if !slices.Contains(p.links(), "/lab/"+other+"/compare") {
				t.Errorf("%s does not lead to %s", anomaly, other)
			}
		}
	}
}

func comparePageNamesTheGuard(t *testing.T) {
	s := newSite(t)
	for anomaly, want := range map[string][3]string{
		"A1": {"open-gate", "The open gate", "func holdGate("},
		"A2": {"incarnation", "The incarnation", "func (s *Store) readIncarnation("},
		"A3": {"queue-first", "The message first", "func (s *Store) askDeletion("},
		"A4": {"look", "The look after the insert", "func (s *Store) resolveInsert("},
	} {
		p := s.get("/lab/"+anomaly+"/compare").want(200).says(want[1], "(this line)", want[2])
		if !regexp.MustCompile(`storage/\w+\.go:\d+`).MatchString(p.text()) {
			t.Errorf("%s names no line of Go", anomaly)
		}
		if links := p.links(); !slices.Contains(links, "/lab/"+want[0]) || !slices.Contains(links, "#guard") {
			t.Errorf("%s leads to %s", anomaly, links)
		}
	}
}

func comparePageMarksWhereTheyDiffer(t *testing.T) {
	s := newSite(t)
	for anomaly, times := range map[string]int{"A1": 1, "A2": 1, "A3": 0, "A4": 1} {
		text := s.get("/lab/" + anomaly + "/compare").want(200).text()
		if n := strings.Count(text, "Here they differ"); n != times {
			t.Errorf("%s: marked %d times", anomaly, n)
		}
		if same := strings.Contains(text, "both have done the same"); same != (times == 0) {
			t.Errorf("%s says that both have done the same: %v", anomaly, same)
		}
	}
}

func comparePageIsThereForAnomaliesAlone(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"open-gate", "post", "stuck", "nothing", "A1.json"} {
		s.get("/lab/" + name + "/compare").want(404)
	}
	if links := s.get("/lab/post/compare").links(); !slices.Contains(links, "/lab/post") {
		t.Errorf("the page leads to %s", links)
	}
}

func comparePageExplainsItself(t *testing.T) {
	s := newSite(t)
	for anomaly, words := range map[string][]string{
		"A1": {"one transaction spans both", "gate a row beside the posts", "merge a write to a row that must be there", "Blogs the table of the posts"},
		"A2": {"a random identity of its own", "incarnation the random identity"},
		"A3": {"first the message, then the mark", "transaction up to 100 writes"},
		"A4": {"the echo of her own request", "echo the answer to one's own"},
	} {
		p := s.get("/lab/" + anomaly + "/compare").want(200)
		for _, word := range append(words, "0.17/0 the write holds only for this version") {
			p.says(word)
		}
		inText := slices.DeleteFunc(p.links(), func(link string) bool { return link != "/how-deletion-works" })
		if len(inText) < 2 { // the other one is in the footer
			t.Errorf("%s does not lead to how deletion works", anomaly)
		}
	}
}

func comparePageShowsTheCall(t *testing.T) {
	s := newSite(t)
	for anomaly, call := range map[string]string{
		"A1": "delete gate!open!setup.4; insert gate!shut!setup.4", "A2": "Channels: read news → Answer: active ann.1",
		"A3": "queue: send delete news", "A4": "Channels: read news → Answer: active ann.1",
	} {
		shown := 0
		for n := range s.get("/lab/" + anomaly + "/compare").want(200).document().Descendants() {
			if n.Type != html.ElementNode || n.Data != "li" || !hasClass(n.Parent, "calls") || !strings.Contains(textOf(n), call) {
				continue
			}
			for said := range n.Descendants() {
				if said.Type == html.ElementNode && hasClass(said, "says") && n.Parent.Parent.Data != "details" {
					shown++
				}
			}
		}
		if shown == 0 {
			t.Errorf("%s: %q is folded away, or nothing is said about it", anomaly, call)
		}
	}
}
