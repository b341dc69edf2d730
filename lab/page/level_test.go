package page_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
)

// A player uses the lab through its pages: it opens the index and follows links.
type player struct {
	*site
	at response
}

// follow follows the one link that has the attribute, with this value if it is not empty.
func (p *player) follow(name, value string) {
	p.Helper()
	for n := range p.at.document().Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" && has(n, name) && (value == "" || attribute(n, name) == value) && has(n, "href") {
			path, _, _ := strings.Cut(attribute(n, "href"), "#")
			for p.at = p.get(path); p.at.status == 302; {
				p.at = p.get(p.at.header.Get("Location"))
			}
			p.at.want(200)
			return
		}
	}
	p.Fatalf("%s has no link with %s=%q", p.at.path, name, value)
}

// won is what the page says about a level that is won, or nil.
func (p *player) won() *html.Node {
	for _, n := range p.at.all(func(n *html.Node) bool { return has(n, "data-won") }) {
		return n
	}
	return nil
}

// levelNames are the levels of the index that are about a scenario, in their order.
func levelNames(r response) (names []string) {
	for _, n := range r.all(func(n *html.Node) bool { return has(n, "data-level") && !has(n, "data-build") }) {
		names = append(names, attribute(n, "data-level"))
	}
	return names
}

func TestLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("solves every level through the pages, which make check leaves to make test")
	}
	s := newSite(t)
	names := levelNames(s.get("/lab").want(200))
	known := allKnown(t)
	for i, name := range names[:len(names)-1] {
		record, _ := modelcheck.About(known, name)
		t.Run(name+"_is_won_by_show_me", func(t *testing.T) { wonByShowMe(t, s, record) })
		if i < 4 { // a hint is the step that Show me takes
			t.Run(name+"_is_won_by_hints", func(t *testing.T) { wonByHints(t, s, record) })
		}
	}
	t.Run("the last says in how many states nothing was found", func(t *testing.T) {
		s.get("/lab/"+names[len(names)-1]+"?hint=1").want(200).says("No violation was found in ", "No way is known")
	})
}

func wonByShowMe(t *testing.T, s *site, record modelcheck.Record) {
	p := &player{s, s.get("/lab/" + record.Name).want(200)}
	p.follow("data-move", "show-me")
	for steps := 0; p.won() == nil; steps++ {
		if steps > record.Shortest {
			t.Fatalf("not won after %d steps: %s", steps, p.at.path)
		}
		p.follow("data-move", "show")
	}
	c, err := modelcheck.Find(record.Name)
	ok(t, err)
	p.at.says("The invariant “"+titleOf(c, record.Invariant)+"” is violated.", "Seen at step "+strconv.Itoa(record.Shortest))
	panel := p.won()
	if got := attribute(panel, "data-steps"); got != strconv.Itoa(record.Shortest) || attribute(panel, "data-par") != got || !has(panel, "data-shown") {
		t.Errorf("won in %s calls, par %s", got, attribute(panel, "data-par"))
	}
	elsewhere := 0
	for _, link := range p.at.links() {
		if u, err := url.Parse(link); err == nil && u.IsAbs() {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Error("the page does not say where it is found elsewhere")
	}
	p.follow("data-move", "undo")
	if p.won() != nil {
		t.Error("one step back it is still won")
	}
}

// titleOf is an invariant of a scenario in words.
func titleOf(c modelcheck.Case, name string) string {
	list := c.Invariants.List()
	return list[slices.IndexFunc(list, func(i lab.Invariant) bool { return i.Name == name })].Title
}

func wonByHints(t *testing.T, s *site, record modelcheck.Record) {
	p := &player{s, s.get("/lab/" + record.Name).want(200)}
	for steps := 0; p.won() == nil; steps++ {
		if steps > record.Shortest {
			t.Fatalf("not won after %d hints: %s", steps, p.at.path)
		}
		p.follow("data-move", "hint")
		p.follow("data-hint", "")
	}
	if got := attribute(p.won(), "data-steps"); got != strconv.Itoa(record.Shortest) || has(p.won(), "data-shown") {
		t.Errorf("won in %s calls, par %d", got, record.Shortest)
	}
}

// The invariants of the textbook and of MicroBlogging have similar titles.
func TestWhoseInvariants(t *testing.T) {
	s := newSite(t)
	for path, says := range map[string]string{
		"own/outbox-without-outbox": "○ your invariant",
		"A1":                        "○ the textbook's invariant “no orphan post”", "late-copy": "The textbook's invariants", "open-gate": "○ MicroBlogging's invariant “no orphan”", "post": "MicroBlogging's invariants",
	} {
		s.get("/lab/" + path).want(200).says(says)
	}
}

func TestHint(t *testing.T) {
	s := newSite(t)
	p := &player{s, s.get("/lab/A1?s=ann*2,olga&hint=1").want(200).says("A shortest way leaves your run after step 1")}
	p.follow("data-hint", "")
	if !strings.HasSuffix(p.at.path, "&at=1") {
		t.Errorf("the hint leads to %s", p.at.path)
	}
	s.get("/lab/A1?s=ann&hint=1").want(200).says("From here a shortest way has 8 steps. The next one: olga")
	s.get("/lab/A1?hint=1").want(200).says("What may happen between the two? From here a shortest way has 9 steps.") // the nudge comes first
	s.get("/lab/A3?s=olga:dies-after&hint=1").want(200).says("It is broken already.")
}

func TestIndex(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab").want(200).says("A post without")
	links := r.links()
	for _, c := range modelcheck.Cases() {
		if !slices.Contains(links, "/lab/"+c.Name) {
			t.Errorf("no link to %s", c.Name)
		}
	}
	for _, link := range []string{"/lab/own-gate?s=" + recordOf(t, "own-gate").Schedule, "/how-deletion-works"} {
		if !slices.Contains(links, link) {
			t.Errorf("no link to %s", link)
		}
	}
	leads := map[string]string{}
	for _, n := range r.all(func(n *html.Node) bool { return has(n, "href") && n.Data == "a" }) {
		text, href := textOf(n), attribute(n, "href")
		if before := leads[text]; before != "" && before != href {
			t.Errorf("%q leads to %s and to %s", text, before, href)
		}
		leads[text] = href
	}
	for _, n := range r.all(func(n *html.Node) bool { return has(n, "data-progress") || has(n, "data-won-mark") }) {
		if !has(n, "hidden") {
			t.Errorf("without a script, %q is shown", textOf(n))
		}
	}
}

func TestRefusals(t *testing.T) {
	s := newSite(t)
	with := func(safeguard string) string { // the run that breaks an invariant without the safeguard, on the production code and to its end
		c, err := modelcheck.Find(safeguard)
		ok(t, err)
		of, err := modelcheck.Find(c.Safeguard.Of)
		ok(t, err)
		schedule, err := of.Parse(recordOf(t, safeguard).Schedule)
		ok(t, err)
		run, err := of.Follow(schedule, true)
		ok(t, err)
		schedule = nil
		for _, m := range run[1:] {
			schedule = append(schedule, m.Step.Choice)
		}
		return "/lab/" + of.Name + "?s=" + of.Format(schedule)
	}
	for safeguard, label := range map[string]string{"open-gate": "The open gate", "shut-gate": "The shut gate"} {
		r := s.get(with(safeguard)).want(200).says("What the safeguards refused.")
		if found := r.all(func(n *html.Node) bool {
			return n.Data == "li" && strings.Contains(textOf(n), label) && strings.HasPrefix(textOf(n), "Step ")
		}); len(found) != 1 {
			t.Errorf("%s does not say that %s refused a step: %s", r.path, label, textOf(r.part("say")))
		}
	}
	again := recordOf(t, "again")
	s.get(with("shut-gate")).want(200).says("All invariants hold in your run. No violation was found in "+lab.Count(again.States, "state"), "Every safeguard is there. No violation was found in "+lab.Count(again.States, "state"), "So the store has one of the two first")
	if text := s.get("/lab/post?s=ann").want(200).text(); strings.Contains(text, "What the safeguards refused") {
		t.Error("a run that is not at its end says what was refused")
	}
}

func TestSearch(t *testing.T) {
	const link = "/lab/link"
	known := recordOf(t, "link")
	states := lab.Count(known.States, "state")
	const earlier = "are of an earlier version of the code."
	current, stale := newSiteOf(t, page.New().Stale(false)), newSiteOf(t, page.New().Stale(true))
	current.get(link).want(200).says("No violation was found in " + states + ".")
	if stale.get("/lab").want(200).says(earlier); strings.Contains(current.get("/lab").want(200).text(), earlier) {
		t.Error("the index says that what was searched is out of date")
	}
	p := &player{stale, stale.get(link).want(200).says("No violation was found in " + states + ", in an earlier version of this code.")}
	p.follow("data-move", "search")
	p.at.says("Searched just now. No invariant is violated. All " + states + " were searched.")
	p.at = stale.get("/lab/link-version").want(200)
	p.follow("data-move", "search")
	p.at.says("An invariant is violated after " + lab.Count(recordOf(t, "link-version").Shortest, "step"))
	for _, found := range p.at.links() {
		if strings.HasPrefix(found, "/lab/link-version?s=") && strings.Contains(stale.get(found).want(200).text(), "✗ violates ") {
			return
		}
	}
	t.Error("no link leads to what was found")
}

func TestWords(t *testing.T) {
	t.Run("the index has at most 320", indexIsShort)
	t.Run("a level has at most 120 above its cards, besides its scene and what is left", levelIsShort)
}

// words counts those that are in sight: a fold that is closed shows its summary, and a picture and a table none.
func words(n *html.Node) (count int) {
	if n.Type == html.TextNode {
		return len(strings.Fields(n.Data))
	}
	for child := range n.ChildNodes() {
		closed := n.Data == "details" && !has(n, "open") && child.Data != "summary"
		if child.Data != "svg" && child.Data != "table" && !closed {
			count += words(child)
		}
	}
	return count
}

func indexIsShort(t *testing.T) {
	r := newSiteOf(t, page.New().With(modelcheck.Cases()...).Stale(true)).get("/lab").want(200) // a reader's own come on top
	content := r.all(func(n *html.Node) bool { return n.Data == "main" })
	if n := words(content[0]); n > 320 {
		t.Errorf("%d words", n)
	}
}

func levelIsShort(t *testing.T) {
	s := newSite(t)
	for _, c := range modelcheck.Cases() {
		r := s.get("/lab/" + c.Name).want(200)
		count := 0
		for _, n := range r.all(func(n *html.Node) bool { return hasClass(n, "head") || hasClass(n, "rule") || hasClass(n, "say") }) {
			count += words(n)
		}
		count -= words(r.part("strip"))
		if count > 120 {
			t.Errorf("%s: %d words", c.Name, count)
		}
	}
}

func TestSwitch(t *testing.T) {
	s := newSite(t)
	for from, to := range map[string]string{"open-gate": "post", "post": "open-gate"} {
		if r := s.get("/lab/"+from).want(200).says("The open gate", "Its code: "); !slices.Contains(r.links(), "/lab/"+to) || !slices.Contains(r.links(), "/lab/open-gate?s="+recordOf(t, "open-gate").Schedule) {
			t.Errorf("%s does not lead to %s", from, to)
		}
	}
}
