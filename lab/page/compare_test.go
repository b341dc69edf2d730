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
	t.Run("is not there for what ships", comparePageIsNotThereForWhatShips)
	t.Run("tells the reader's own run, and leads to it on both sides", comparePageTellsOwnRun)
	t.Run("claims nothing about a run that breaks nothing", comparePageClaimsNothing)
	t.Run("says where ours cannot follow", comparePageSaysWhereOursCannotFollow)
	t.Run("has one address for a run, and refuses what is none", comparePageHasOneAddress)
	t.Run("is kept like other answers", comparePageIsKept)
	t.Run("tells the mishaps", comparePageTellsMishaps)
	t.Run("tells ours without a guard beside ours", comparePageTellsGuards)
	t.Run("folds what is the same on both sides", comparePageFoldsWhatIsAlike)
	t.Run("is led to by each state of a run", comparePageIsLedTo)
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
		if won := s.get("/lab/" + anomaly + "?s=" + schedules[0]).want(200).links(); !slices.Contains(won, "/lab/"+anomaly+"/compare?s="+schedules[0]) {
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

func comparePageIsNotThereForWhatShips(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"post", "stuck", "nothing", "A1.json"} {
		s.get("/lab/" + name + "/compare").want(404)
	}
	if links := s.get("/lab/post/compare").links(); !slices.Contains(links, "/lab/post") {
		t.Errorf("the page leads to %s", links)
	}
}

func comparePageTellsOwnRun(t *testing.T) {
	s := newSite(t)
	for own, ours := range map[string]string{
		"A1?s=ann,olga":                "/lab/post?s=ann,olga*",
		"A1?s=ann,olga*2,w1*3,ann":     "/lab/post?s=ann,olga*",
		"A2?s=ann":                     "/lab/again?s=ann",
		"A3?s=olga,olga:dies-before":   "/lab/web-dies?s=olga*",
		"A4?s=ann:repeated":            "/lab/creators?s=ann*",
		"late-copy?s=olga,olga:copied": "/lab/stalled?s=olga*",
	} {
		name, schedule, _ := strings.Cut(own, "?")
		links := s.get("/lab/" + name + "/compare?" + schedule).want(200).says("Your run").links()
		for _, link := range []string{"/lab/" + own, "/lab/" + name + "/compare"} {
			if !slices.Contains(links, link) {
				t.Errorf("%s does not lead to %s but to %s", own, link, links)
			}
		}
		at := slices.IndexFunc(links, func(link string) bool { return strings.HasPrefix(link, ours) })
		if at < 0 {
			t.Fatalf("%s does not lead to %s… but to %s", own, ours, links)
		}
		s.get(links[at]).want(200)
	}
}

func comparePageClaimsNothing(t *testing.T) {
	s := newSite(t)
	for run, words := range map[string][]string{
		"A1/compare?s=ann,olga":            {"The textbook has broken nothing so far", "Ours has broken nothing so far", "The laws A1, A3 and A4 are open: not judged before all is at rest.", "How it stands"},
		"A1/compare?s=ann*2,olga*2,w1*6":   {"The textbook holds", "Ours holds", "How it ends"},
		"A1/compare?s=ann,olga*2,w1*3,ann": {"The textbook has broken nothing so far", "Ours holds", "Here they differ"},
	} {
		p := s.get("/lab/" + run).want(200).says(words...).says("What ours does differently")
		for _, claim := range []string{"textbook breaks", "breaks the law", "Why ours holds", "They differ in what others find"} {
			if strings.Contains(strings.ReplaceAll(p.text(), "Compare a shortest run that breaks the law", ""), claim) {
				t.Errorf("%s claims %q", run, claim)
			}
		}
	}
	// A sentence about a refusal must not stand beside a post that got in.
	if p := s.get("/lab/A1/compare?s=ann*2").want(200); strings.Contains(p.text(), "refuses all four writes") {
		t.Error("a post that got in is said to be refused")
	}
}

func comparePageSaysWhereOursCannotFollow(t *testing.T) {
	s := newSite(t)
	p := s.get("/lab/lost-message/compare?s=olga,olga:lost").want(200)
	p.says("From here ours cannot follow", "Ours cannot follow this run", "Ours has done this before, and has ended. So nothing can befall this call.")
	for _, claim := range []string{"Ours holds", "Why ours holds"} {
		if strings.Contains(p.text(), claim) {
			t.Errorf("the page claims %q", claim)
		}
	}
}

func comparePageHasOneAddress(t *testing.T) {
	s := newSite(t)
	for asked, want := range map[string]string{
		"A1/compare?s=ann,ann":         "/lab/A1/compare?s=ann*2",
		"A1/compare?s=ann,%20olga&x=1": "/lab/A1/compare?s=ann,olga",
		"A1/compare/?s=ann":            "/lab/A1/compare?s=ann",
	} {
		if got := s.get("/lab/" + asked).want(302).header.Get("Location"); got != want {
			t.Errorf("%s leads to %s, want %s", asked, got, want)
		}
		s.get(want).want(200)
	}
	for _, run := range []string{"nobody", "w1", "ann*3", "ann*201", "%zz", ";", "network:lands", "ann:lost"} {
		p := s.get("/lab/A1/compare?s=" + run).want(400)
		if !slices.Contains(p.links(), "/lab/A1") {
			t.Errorf("%s: no way back", run)
		}
	}
	s.get("/lab/A1/compare?s=ann*3").want(400).says("Step 3, \"ann\": finished.")
	s.get("/lab/A1/compare?s=" + strings.Repeat("ann,", 200) + "ann").want(400).says("200")
	s.get("/lab/A1/compare?x=" + strings.Repeat("x", 1<<20)).want(400).says("200")
	s.get("/lab/A1/compare?s=").want(200)
}

func comparePageIsKept(t *testing.T) {
	s := newSite(t)
	first := s.get("/lab/A1/compare?s=ann,olga").want(200)
	etag := first.header.Get("ETag")
	if other := s.get("/lab/A1/compare?s=ann").want(200).header.Get("ETag"); etag == "" || etag == other {
		t.Errorf("two runs have the tags %s and %s", etag, other)
	}
	if again := s.get("/lab/A1/compare?s=ann,olga"); again.body != first.body || again.header.Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("%v", again.header)
	}
	s.get("/lab/A1/compare?s=ann,olga", "If-None-Match", etag).want(304)
}

func comparePageTellsMishaps(t *testing.T) {
	s := newSite(t)
	for name, words := range map[string][]string{
		"twice":        {"The textbook breaks", "The key of a post", "already exists: insert once!", "ann2 sends the same request", "There is no second post."},
		"lost-message": {"The textbook breaks", "The reconciling pass", "They differ in what others find", "func (p *pass) lookAt("},
		"late-copy":    {"The textbook breaks", "The open gate", "not found: merge gate!open!olga.1", "The late post is one transaction"},
	} {
		p := s.get("/lab/"+name+"/compare").want(200).says(words...).says("Why ours holds", "Ours holds")
		scenarios, schedules := p.stories()
		if len(scenarios) != 2 || scenarios[0] != name {
			t.Fatalf("%s leads to %s", name, scenarios)
		}
		if textbook, ours := s.state(scenarios[0], schedules[0]), s.state(scenarios[1], schedules[1]); !textbook.isBroken() || ours.isBroken() || len(ours.Choices) > 0 {
			t.Errorf("%s: the textbook %+v, ours %+v", name, textbook.Laws, ours.Laws)
		}
	}
}

func comparePageTellsGuards(t *testing.T) {
	s := newSite(t)
	p := s.get("/lab/open-gate/compare").want(200).says("Ours without the guard breaks", "Ours holds", "Here they differ",
		"In the code that ships, a post merges the open gate.", "not found: merge gate!open!setup.4", "func holdGate(")
	if scenarios, _ := p.stories(); !slices.Equal(scenarios, []string{"open-gate", "post"}) {
		t.Errorf("the page leads to %s", scenarios)
	}
	s.get("/lab/shut-gate/compare?s=w1*2,w2*2").want(200).says("Ours without the guard has broken nothing so far", "Up to here both have done the same.")
}

func comparePageFoldsWhatIsAlike(t *testing.T) {
	s := newSite(t)
	rows := func(path string) (folded, open int) {
		for n := range s.get(path).want(200).document().Descendants() {
			switch {
			case n.Type != html.ElementNode || n.Data != "li" || !hasClass(n.Parent, "story"):
			case n.Parent.Parent.Data == "details":
				folded++
			default:
				open++
			}
		}
		return folded, open
	}
	if folded, open := rows("/lab/open-gate/compare"); folded < 10 || open != 3 {
		t.Errorf("without a guard %d rows are folded, and %d are not", folded, open)
	}
	if folded, open := rows("/lab/once/compare"); folded != 0 || open < 4 {
		t.Errorf("of a short run %d rows are folded, and %d are not", folded, open)
	}
	if folded, open := rows("/lab/A1/compare"); folded != 0 || open < 7 {
		t.Errorf("of the textbook %d rows are folded, and %d are not", folded, open)
	}
}

func comparePageIsLedTo(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/lab/A1?s=ann":             "/lab/A1/compare?s=ann",
		"/lab/A1?s=ann,olga*2&at=2": "/lab/A1/compare?s=ann,olga",
		"/lab/twice?s=ann":          "/lab/twice/compare?s=ann",
		"/lab/open-gate?s=ann":      "/lab/open-gate/compare?s=ann",
	} {
		if links := s.get(path).want(200).links(); !slices.Contains(links, want) {
			t.Errorf("%s does not lead to %s", path, want)
		}
	}
	for _, path := range []string{"/lab/post?s=ann", "/lab/A1"} {
		for _, link := range s.get(path).want(200).links() {
			if strings.Contains(link, "/compare") {
				t.Errorf("%s leads to %s", path, link)
			}
		}
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
