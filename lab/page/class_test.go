package page_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"microblogging/lab/modelcheck"
)

func TestClass(t *testing.T) {
	t.Run("has eight stops of 70 minutes, of which seven can be won and have a moment before the last step, and 10 minutes before and after", classHasStops)
	t.Run("says which of the runs that are handed in are won, and in how many steps", handedInIsChecked)
	t.Run("shows nothing of a run that is none", handedInIsNoRun)
	t.Run("checks a run of each level, and refuses more steps than it checks", handedInIsBounded)
	t.Run("names at the end of each stop the step because of which it violates the invariant, as a search has found it", stopsHaveTheirCause)
	t.Run("says how a hall reaches the server, and which Go it needs", func(t *testing.T) {
		module, err := os.ReadFile("../../go.mod")
		ok(t, err)
		version := "Go " + string(regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)[1])
		newSite(t).get("/lab/class").want(200).says("70 MB", "--listen 0.0.0.0:8080", "http://ADDRESS:8080/lab", "--host NAME", version)
		newSite(t).get("/lab/class?handout=1").want(200).says(version, "lab find NAME", "WSL")
	})
	t.Run("has a handout with each question, and neither it nor what it leads to has an answer", handoutAsks)
	t.Run("each stop is numbered as in the handout, leads back to it, and on to the next stop", stopsAreAPath)
	t.Run("has notes whose way leads to the end of the stop", notesLeadThere)
	t.Run("checks a condition that is handed in as it does a run", conditionIsHandedIn)
	t.Run("hides no scenario", func(t *testing.T) {
		if slices.ContainsFunc(modelcheck.Cases(), func(c modelcheck.Case) bool { return c.Name == "class" }) {
			t.Error("a scenario is called class")
		}
	})
}

func classHasStops(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab/class").want(200)
	minutes, levels := 0, levelNames(r)
	for _, n := range r.all(func(n *html.Node) bool { return n.Data == "li" && has(n, "data-level") }) {
		for i, word := range strings.Fields(textOf(n)) {
			if number, err := strconv.Atoi(word); err == nil && strings.Fields(textOf(n))[i+1] == "minutes" {
				minutes += number
			}
		}
	}
	if len(levels) != 8 || minutes != 70 {
		t.Errorf("%d stops, %d minutes", len(levels), minutes)
	}
	r.says("In the first seven the hall breaks an invariant", "10 minutes to open", "10 minutes to close")
	if never := s.get("/lab/class?handout=1").want(200).all(func(n *html.Node) bool { return has(n, "data-won-never") }); len(never) != 1 || attribute(never[0], "data-level") != levels[7] {
		t.Errorf("%d stops cannot be won", len(never))
	}
	for _, name := range levels[:7] {
		record, before := recordOf(t, name), "/lab/"+name+"?s="
		at := slices.IndexFunc(r.links(), func(link string) bool { return strings.HasPrefix(link, before) })
		if record.Shortest == 1 {
			continue
		}
		if at < 0 {
			t.Errorf("%s has no moment before its last step", name)
			continue
		}
		s.get(r.links()[at]).want(200).says("Step " + strconv.Itoa(record.Shortest-1) + " of")
	}
	if links := s.get("/lab").want(200).links(); !slices.Contains(links, "/lab/class") || !slices.Contains(links, "/lab/class?handout=1") {
		t.Error("the index does not lead to the class and to its handout")
	}
}

// stopsHaveTheirCause: the shut gate has too many states, so there no step is named.
func stopsHaveTheirCause(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab/class").want(200))[:7] {
		record := recordOf(t, name)
		r := s.get("/lab/" + name + "?s=" + record.Schedule).want(200)
		switch {
		case record.Because == 0:
			r.says("Because of which step is not known")
		case record.Because == record.Shortest:
			r.says("Seen at step " + strconv.Itoa(record.Shortest) + ", because of that step.")
		default:
			r.says("Seen at step " + strconv.Itoa(record.Shortest) + ", because of step " + strconv.Itoa(record.Because) + ".")
		}
	}
}

func handoutAsks(t *testing.T) {
	s := newSite(t)
	class := s.get("/lab/class").want(200)
	if !slices.Contains(class.links(), "/lab/class?handout=1") {
		t.Error("the class does not lead to its handout")
	}
	handout := s.get("/lab/class?handout=1").want(200)
	text := textOf(handout.all(func(n *html.Node) bool { return n.Data == "main" })[0])
	for _, stop := range class.all(func(n *html.Node) bool { return n.Data == "li" && has(n, "data-level") }) {
		parts := within(stop, "p") // how long it takes, the goal, the question and the notes
		title, goal, question, notes := textOf(within(stop, "h3")[0]), textOf(parts[1]), textOf(parts[2]), textOf(parts[3])
		for _, asks := range []string{title, goal, question} {
			if !strings.Contains(text, asks) {
				t.Errorf("the handout does not say %q", asks)
			}
		}
		if strings.Contains(text, notes[:40]) {
			t.Errorf("the handout says %q", notes)
		}
	}
	stops := 0
	for _, link := range handout.links() {
		switch name, stop := strings.CutSuffix(link, "?large=1"); {
		case stop:
			stops++
			if del := within(s.get(name+"?large=1").want(200).part("rule"), "del"); len(del) > 0 {
				t.Errorf("%s says what is missing", link)
			}
		case strings.HasPrefix(link, "/lab/") && !strings.HasPrefix(link, "/lab/build?l="):
			t.Errorf("the handout leads to %s", link)
		}
	}
	if stops != 8 {
		t.Errorf("the handout leads to %d stops", stops)
	}
}

func stopsAreAPath(t *testing.T) {
	s := newSite(t)
	names := levelNames(s.get("/lab/class").want(200))
	for i, name := range names {
		r := s.get("/lab/" + name + "?large=1").want(200).says("Stop " + strconv.Itoa(i+1) + " of 8: ")
		if !slices.Contains(r.links(), "/lab/class?handout=1#stop-"+name) {
			t.Errorf("%s does not lead back", name)
		}
		record := recordOf(t, name)
		if record.Shortest == 0 {
			continue
		}
		won := s.get("/lab/" + name + "?s=" + record.Schedule + "&large=1").want(200)
		main := won.all(func(n *html.Node) bool { return n.Data == "a" && hasClass(n, "main") && has(n, "data-next") })
		if len(main) != 1 || attribute(main[0], "href") != "/lab/"+names[i+1]+"?large=1" || !strings.HasPrefix(textOf(main[0]), "Next stop: ") {
			t.Errorf("the main button of %s does not lead to %s", won.path, names[i+1])
		}
		staysLarge(won)
		for _, link := range won.links() {
			if strings.Contains(link, "?s=") && !strings.Contains(link, "/lab/"+name) && !strings.Contains(link, ".") {
				staysLarge(s.get(link).want(200))
			}
		}
	}
	for _, path := range []string{"/lab/A1", "/lab/A4?large=1"} {
		if text := s.get(path).want(200).text(); strings.Contains(text, "Stop 1 of 8") || !strings.Contains(text, "Level ") {
			t.Errorf("%s is a stop", path)
		}
	}
}

// staysLarge checks that the page is for a projector, as is each page of a scenario that it leads to, but for the same page
// for a smaller screen.
func staysLarge(r response) {
	smaller := strings.TrimRight(strings.Replace(r.path, "large=1", "", 1), "?&")
	if len(r.all(func(n *html.Node) bool { return hasClass(n, "lab") && hasClass(n, "large") })) == 0 {
		r.Errorf("%s is not for a projector", r.path)
	}
	for _, link := range r.links() {
		path, query, _ := strings.Cut(link, "?")
		if strings.HasPrefix(path, "/lab/") && !strings.HasPrefix(path, "/lab/class") && !strings.Contains(path, ".") && !strings.Contains(query, "large=1") && link != smaller {
			r.Errorf("%s leads to %s, which is not for a projector", r.path, link)
		}
	}
}

// notesLeadThere takes the runs that the notes of the longest stops describe. A number is a number of steps, and
// “run” is what the card of the actor offers.
func notesLeadThere(t *testing.T) {
	s := newSite(t)
	before, _ := strings.CutSuffix(recordOf(t, "shut-gate").Schedule, "w1*3")
	for _, stop := range []struct{ name, way, says string }{
		{"own-gate", "olga*2 run:w1 run:w1 olga run:w1", "violates"},
		{"own-gate", "olga*2 run:w1 olga run:w1 run:w1", "From here the invariant holds, whatever you do"},
		{"shut-gate", before + "w1*3", "violates"},
		{"again", waysOf(t, s, "again")[0], "Step " + strconv.Itoa(recordOf(t, "shut-gate").Shortest) + ", w1: The shut gate"},
	} {
		s.get("/lab/" + stop.name + "?s=" + taken(s, stop.name, stop.way)).want(200).says(stop.says)
	}
	links := s.get("/lab/class").want(200).links()
	for _, way := range []string{"/lab/shut-gate?s=" + before + "w1*2&large=1", "/lab/again?s=" + before + "w1*3&large=1"} {
		if !slices.Contains(links, way) {
			t.Errorf("the notes do not lead to %s", way)
		}
	}
}

func conditionIsHandedIn(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab/class?build-1=version&build-2=exists&build-3=<b>x").want(200).says("Checked: 1 of 3 won", "holds in 15 states", "not won: broken in ",
		"not a condition of this level", "The text to hand in", "/lab/class?build-1=version&build-2=exists")
	if strings.Contains(r.body, "<b>x") || !slices.Contains(r.links(), "/lab/build?l=1&c=version") {
		t.Error("the page has what is no condition, or does not lead to one that is")
	}
	for _, n := range r.all(func(n *html.Node) bool { return has(n, "data-copy") }) {
		if !strings.HasPrefix(textOf(n), "/lab/class?") {
			t.Errorf("what is handed in holds the address of this server: %s", textOf(n))
		}
	}
	if slices.Contains(r.links(), "/lab/class") {
		t.Error("who hands in is led to the notes of the lecturer")
	}
}

func handedInIsChecked(t *testing.T) {
	s := newSite(t)
	longer := "ann,olga*2,w1*3,ann,w1*2"
	r := s.get("/lab/class?A1="+longer+"&A2=w1*4&A3=olga:dies-after&utm_source=x").want(200).says("Checked: 2 of 3 won",
		"Level 1: A post without a channel : won in 9 steps, shortest 9", "Level 10: The new channel pays for the old one : not won in 4 steps",
		"Level 6: Asked for, and never done : won in 1 step, shortest 1", "/lab/class?A1="+longer+"&A3=olga:dies-after&A2=w1*4")
	for _, link := range []string{"/lab/A1?s=" + longer, "/lab/A2?s=w1*4"} {
		if !slices.Contains(r.links(), link) {
			t.Errorf("no link to %s", link)
		}
	}
	if strings.Contains(r.body, "utm_source") {
		t.Error("the link has what means nothing")
	}
	// What breaks another invariant does not win.
	s.get("/lab/class?A2=w1*2,ann,w1,w2,ann,w2,w1,w2,w1,w2").want(200).says("Checked: 0 of 1 won", "not won in 11 steps")
	s.get("/lab/A2?s=w1*2,ann,w1,w2,ann,w2,w1,w2,w1,w2").want(200).says("is violated", "Not won yet: this level asks for the invariant “no damage to the resurrected”.")
	s.get("/lab/shut-gate?s=" + recordOf(t, "shut-gate").Twin).want(200).says("Not won yet: the invariant holds. Step back, let another actor go first, or ask for a hint.")
	s.get("/lab/index-first?s=olga*3,olga:dies-after,reconcile").want(200).says("Not won yet: the invariant holds. The queue may still lose a message.")
	if text := s.get("/lab/A1?s=" + longer).want(200).text(); strings.Contains(text, "Not won yet") {
		t.Error("what is won is not won yet")
	}
}

func handedInIsNoRun(t *testing.T) {
	s := newSite(t)
	for run, says := range map[string]string{"A1=w1*9": "not a run: step 1 is not possible", "A1=<b>x": "not a run: step 1 is not possible", "A1=ann*999": "not a run"} {
		r := s.get("/lab/class?"+run).want(200).says("Checked: 0 of 1 won", says)
		if strings.Contains(r.body, "<b>x") || len(r.all(func(n *html.Node) bool { return has(n, "data-copy") })) > 0 {
			t.Errorf("%s: the page has what was handed in, or a link to copy: %s", run, excerpt(r.text(), "not a run"))
		}
	}
	s.get("/lab/class?A1=%zz").want(400)
}

func handedInIsBounded(t *testing.T) {
	s := newSite(t)
	known := allKnown(t)
	var all []string
	names := levelNames(s.get("/lab").want(200))
	for _, name := range names[:len(names)-1] {
		record, _ := modelcheck.About(known, name)
		all = append(all, name+"="+record.Schedule)
	}
	begun := time.Now()
	won := strconv.Itoa(len(all))
	s.get("/lab/class?" + strings.Join(all, "&")).want(200).says("Checked: " + won + " of " + won + " won")
	t.Log("all levels took", time.Since(begun))
	for i, name := range names {
		all = append(all[:i:i], name+"=w1*190")
	}
	s.get("/lab/class?" + strings.Join(all, "&")).want(400).says("All runs together have 1000 steps at most.")
}
