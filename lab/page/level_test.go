package page_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/prove"
)

// A player uses the lab through its pages: it opens the index and follows links.
type player struct {
	*site
	at response
}

func newPlayer(s *site) *player { return &player{s, s.get("/lab").want(200)} }

// follow follows the one link that has the attribute, with this value if it is not empty.
func (p *player) follow(name, value string) {
	p.Helper()
	if !p.try(name, value) {
		p.Fatalf("%s has no link with %s=%q", p.at.path, name, value)
	}
}

// try is follow, and reports whether there is such a link.
func (p *player) try(name, value string) bool {
	p.Helper()
	for n := range p.at.document().Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" && has(n, name) && (value == "" || attribute(n, name) == value) && has(n, "href") {
			p.open(attribute(n, "href"))
			return true
		}
	}
	return false
}

// open opens an address as a browser does.
func (p *player) open(href string) {
	p.Helper()
	path, _, _ := strings.Cut(href, "#")
	if strings.Contains(path, "?") && !strings.HasPrefix(path, "/") {
		p.Fatalf("%s is no address of ours", href)
	}
	p.at = p.get(path)
	for p.at.status == 302 {
		p.at = p.get(p.at.header.Get("Location"))
	}
	p.at.want(200)
}

// choose opens a level from the index.
func (p *player) choose(level string) {
	p.Helper()
	for n := range p.at.document().Descendants() {
		if n.Type != html.ElementNode || attribute(n, "data-level") != level {
			continue
		}
		for a := range n.Descendants() {
			if a.Type == html.ElementNode && a.Data == "a" {
				p.open(attribute(a, "href"))
				return
			}
		}
	}
	p.Fatalf("the index has no level %s", level)
}

// won is what the page says about a level that is won, or nil.
func (p *player) won() *html.Node {
	for n := range p.at.document().Descendants() {
		if n.Type == html.ElementNode && has(n, "data-won") {
			return n
		}
	}
	return nil
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// levelNames are the levels of the index, in their order.
func levelNames(r response) (names []string) {
	for n := range r.document().Descendants() {
		if n.Type == html.ElementNode && has(n, "data-level") {
			names = append(names, attribute(n, "data-level"))
		}
	}
	return names
}

func TestLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("solves every level through the pages, which make check leaves to make test")
	}
	names := levelNames(newSite(t).get("/lab").want(200))
	if len(names) != 20 {
		t.Fatalf("%d levels: %v", len(names), names)
	}
	known, err := prove.Known()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names[:len(names)-1] {
		next := names[i+1]
		record, _ := prove.About(known, name)
		t.Run(name+"_is_won_by_show_me", func(t *testing.T) { wonByShowMe(t, newSite(t), record, next) })
		t.Run(name+"_is_won_by_hints", func(t *testing.T) { wonByHints(t, newSite(t), record) })
	}
	t.Run("how ours refuses a level says which level it is, and leads back", oursLeadsBack)
	t.Run("A1 is won by the buttons alone", func(t *testing.T) { wonByButtons(t, newSite(t)) })
	t.Run("the last says how many states were searched in vain", func(t *testing.T) { lastSaysHowMany(t, newSite(t), names[len(names)-1]) })
}

func wonByShowMe(t *testing.T, s *site, record prove.Record, next string) {
	p := newPlayer(s)
	p.choose(record.Name)
	if p.won() != nil {
		t.Fatal("it is won at the start")
	}
	p.follow("data-move", "show-me")
	for steps := 0; p.won() == nil; steps++ {
		if steps > record.Par {
			t.Fatalf("not won after %d steps: %s", steps, p.at.path)
		}
		p.follow("data-move", "show")
	}
	panel := p.won()
	if got := attribute(panel, "data-steps"); got != strconv.Itoa(record.Par) || attribute(panel, "data-par") != got || !has(panel, "data-shown") {
		t.Errorf("won in %s calls, par %s", got, attribute(panel, "data-par"))
	}
	elsewhere := 0
	for n := range panel.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			if u, err := url.Parse(attribute(n, "href")); err == nil && u.IsAbs() {
				elsewhere++
			}
		}
	}
	if elsewhere == 0 {
		t.Error("the page does not say where it is found elsewhere")
	}
	won := p.at
	if record.Part == "textbook" {
		p.follow("data-compare", "")
		p.at.says("Ours holds")
		p.at = won
	}
	p.follow("data-ours", "")
	p.at.says("Guards")
	p.at = won
	p.follow("data-move", "undo")
	if p.won() != nil {
		t.Error("one step back it is still won")
	}
	p.at = won
	p.follow("data-next", "")
	if path, _, _ := strings.Cut(p.at.path, "?"); path != "/lab/"+next {
		t.Errorf("the next level is %s, want %s", p.at.path, next)
	}
}

func wonByHints(t *testing.T, s *site, record prove.Record) {
	p := newPlayer(s)
	p.choose(record.Name)
	for steps := 0; p.won() == nil; steps++ {
		if steps > record.Par {
			t.Fatalf("not won after %d hints: %s", steps, p.at.path)
		}
		p.follow("data-move", "hint")
		if got := p.at.header.Get("Cache-Control"); got != "no-store" {
			t.Fatalf("a hint may be kept: %q", got)
		}
		p.follow("data-hint", "")
	}
	if got := attribute(p.won(), "data-steps"); got != strconv.Itoa(record.Par) {
		t.Errorf("won in %s calls, par %d", got, record.Par)
	}
}

// wonByButtons lets Ann look, everybody else finish up to the last call, and then Ann write.
func wonByButtons(t *testing.T, s *site) {
	p := newPlayer(s)
	p.choose("A1")
	for _, choice := range []string{"ann", "olga", "olga", "w1", "w1", "w1", "w1", "ann", "w1"} {
		if p.won() != nil {
			t.Fatal("won too early")
		}
		p.follow("data-choice", choice)
	}
	panel := p.won()
	if panel == nil {
		t.Fatalf("%s is not won", p.at.path)
	}
	if has(panel, "data-shown") {
		t.Error("the page takes this run for the one that it shows")
	}
	p.open("/lab")
	p.choose("A3")
	p.follow("data-choice", "olga:dies-after") // there is no other way
	if panel := p.won(); panel == nil || has(panel, "data-shown") {
		t.Errorf("%s is not won by oneself", p.at.path)
	}
}

func lastSaysHowMany(t *testing.T, s *site, name string) {
	known, err := prove.Known()
	if err != nil {
		t.Fatal(err)
	}
	record, ok := prove.About(known, name)
	if !ok || record.States == 0 || record.Law != "" {
		t.Fatalf("%s: %+v", name, record)
	}
	p := newPlayer(s)
	p.choose(name)
	p.at.says("The explorer has searched", "states in vain")
	if p.try("data-move", "show-me") {
		t.Error("the page shows how the shipped code breaks")
	}
	p.follow("data-move", "hint")
	p.at.says("The search has ended at its bound", "a quick look of a second or so", "The explorer once took the time to enter", "A state is one moment")
}

func TestIndex(t *testing.T) {
	t.Run("opens with three stories and their sources", indexHasItsStories)
	t.Run("has a cell for each anomaly in each version, with its schedule", indexHasTheMatrix)
	t.Run("has A1 to A4 beside their levels, and leads to how ours refuses them above all", indexNamesTheAnomalies)
	t.Run("leads to every scenario", indexLeadsEverywhere)
	t.Run("claims nothing about progress without a script", indexClaimsNoProgress)
}

func indexHasItsStories(t *testing.T) {
	r := newSite(t).get("/lab").want(200).says("DynamoDB", "October 2025", "“Running”", "PostHog")
	for _, source := range []string{
		"https://aws.amazon.com/message/101925/", "https://github.com/Azure/durabletask/pull/1280", "https://github.com/PostHog/posthog/pull/96995",
	} {
		if !slices.Contains(r.links(), source) {
			t.Errorf("no link to %s", source)
		}
	}
}

func indexHasTheMatrix(t *testing.T) {
	s := newSite(t)
	rows, cells, broken := 0, 0, 0
	for n := range s.get("/lab").want(200).document().Descendants() {
		switch {
		case n.Type == html.ElementNode && n.Data == "tr":
			rows++
		case n.Type == html.ElementNode && n.Data == "td" && hasClass(n, "found"):
			cells++
			for a := range n.Descendants() {
				if a.Type == html.ElementNode && a.Data == "a" {
					broken++
					s.get(attribute(a, "href")).want(200).says("is broken")
				}
			}
		case n.Type == html.ElementNode && n.Data == "td":
			cells++
			if text := textOf(n); !strings.HasPrefix(text, "not found in ") || strings.Contains(text, "no states") {
				t.Errorf("a cell says %q", text)
			}
		}
	}
	if want := 1 + 1 + len(lab.Ablations()) + 1; rows != want || cells != 4*(want-1) || broken < 4 {
		t.Errorf("%d rows, want %d; %d cells, %d of them with a schedule", rows, want, cells, broken)
	}
}

func indexLeadsEverywhere(t *testing.T) {
	links := newSite(t).get("/lab").want(200).links()
	for _, c := range prove.Cases(false) {
		if !slices.Contains(links, "/lab/"+c.Name) {
			t.Errorf("no link to %s", c.Name)
		}
	}
}

func indexClaimsNoProgress(t *testing.T) {
	for n := range newSite(t).get("/lab").want(200).document().Descendants() {
		if n.Type == html.ElementNode && (has(n, "data-progress") || has(n, "data-won-mark")) && !has(n, "hidden") {
			t.Errorf("%q is shown", textOf(n))
		}
	}
}

func oursLeadsBack(t *testing.T) {
	s := newSite(t)
	known, err := prove.Known()
	if err != nil {
		t.Fatal(err)
	}
	names := levelNames(s.get("/lab").want(200))
	for i, name := range names[:len(names)-1] {
		record, _ := prove.About(known, name)
		p := &player{s, s.get("/lab/" + name + "?s=" + record.Schedule).want(200)}
		p.follow("data-ours", "")
		p.at.says("level " + strconv.Itoa(i+1))
		ours, _, _ := strings.Cut(strings.TrimPrefix(p.at.path, "/lab/"), "?")
		for n := range p.at.document().Descendants() {
			if n.Type == html.ElementNode && n.Data == "h1" && textOf(n) == ours {
				t.Errorf("%s: the page has the title %q", name, ours)
			}
		}
		p.follow("data-back-to", name)
		if path, _, _ := strings.Cut(p.at.path, "?"); path != "/lab/"+name {
			t.Errorf("%s: back leads to %s", name, p.at.path)
		}
	}
}

func indexNamesTheAnomalies(t *testing.T) {
	r := newSite(t).get("/lab").want(200)
	links := r.links()
	for i, anomaly := range []string{"A1", "A2", "A3", "A4"} {
		r.says(anomaly + ": " + []string{"A post without", "The new channel", "Asked for", "Beaten by"}[i])
		if at := slices.Index(links, "/lab/"+anomaly+"/compare"); at < 0 || at > slices.Index(links, "https://aws.amazon.com/message/101925/") {
			t.Errorf("the page leads to how ours refuses %s at link %d", anomaly, at)
		}
	}
}
