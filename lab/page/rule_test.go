package page_test

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestRule(t *testing.T) {
	t.Run("each level has one, and what is missing is struck through in it, in every state", ruleIsInSight)
	t.Run("the line of code that is missing is struck through next to it", clauseIsInSight)
	t.Run("without a level, it is the safeguard that is taken out, or what the scenario is about", ruleOfOthers)
	t.Run("nothing of a level's scene is cut or folded", sceneIsWhole)
	t.Run("the words are one fold away, on the page of a level, of a condition and of the levels", wordsAreNear)
	t.Run("the scene leads to the figure of the fence where a gate is missing, and nowhere before", sceneLeadsToFence)
}

func wordsAreNear(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/A1", orphan, "/lab/build?l=2", "/lab"} {
		summary := within(s.get(path).want(200).part("words"), "summary")[0]
		if summary.Parent.Parent == nil || !inSight(summary.Parent.Parent) || textOf(summary) != "The words" {
			t.Errorf("%s: the words are in another fold, or have no name: %s", path, textOf(summary))
		}
	}
}

// inSight reports whether no fold that is closed has the element.
func inSight(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "details" && !has(n, "open") || has(n, "hidden") {
			return false
		}
	}
	return true
}

// statesOf are a level at its start, on its way and at the end of a shortest run.
func statesOf(t *testing.T, s *site, name string) (states []response) {
	t.Helper()
	record := recordOf(t, name)
	for _, at := range []int{0, record.Shortest / 2} {
		path := "/lab/" + name
		if record.Schedule != "" {
			path += "?s=" + record.Schedule + "&at=" + strconv.Itoa(at)
		}
		states = append(states, s.get(path).want(200))
	}
	if record.Schedule != "" {
		states = append(states, s.get("/lab/"+name+"?s="+record.Schedule).want(200))
	}
	return states
}

func ruleIsInSight(t *testing.T) {
	s := newSite(t)
	names := levelNames(s.get("/lab").want(200))
	for i, name := range names {
		var first string
		for _, r := range statesOf(t, s, name) {
			says := r.all(func(n *html.Node) bool { return hasClass(n, "says") && inSight(n) })
			if len(says) != 1 || !strings.HasSuffix(textOf(says[0]), ".") {
				t.Fatalf("%s has no rule of one sentence", r.path)
			}
			missing, text := within(says[0], "del"), textOf(says[0])
			if last := i == len(names)-1; len(missing) == 0 != last || !last && (textOf(missing[0]) == "" || textOf(missing[0]) == strings.TrimSuffix(text, ".")) {
				t.Errorf("%s: Rule and Missing of the level say nothing of what is missing: %s", r.path, text)
			}
			if first == "" {
				first = text
			}
			if text != first {
				t.Errorf("%s has another rule than the start: %s", r.path, text)
			}
		}
	}
}

func clauseIsInSight(t *testing.T) {
	s := newSite(t)
	for path, struck := range map[string]string{
		"/lab/open-gate": "driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists)", "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2": "driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists)", "/lab/A1": "",
		"/lab/own/lease-lock-without-fence": `On("fence")`, "/lab/post": "",
	} {
		clause := s.get(path).want(200).all(func(n *html.Node) bool { return hasClass(n, "clause") && inSight(n) })
		switch {
		case struck == "" && len(clause) == 0:
		case len(clause) != 1 || len(within(clause[0], "del")) != 1 || !strings.Contains(textOf(within(clause[0], "del")[0]), struck) || !strings.Contains(textOf(clause[0]), "missing here"):
			t.Errorf("%s does not strike %q", path, struck)
		}
	}
}

func ruleOfOthers(t *testing.T) {
	s := newSite(t)
	for path, says := range map[string]string{
		"/lab/listed": "The list first ) : A deletion is on its user's list before its message is sent", "/lab/post": "posts",
	} {
		if text := textOf(s.get(path).want(200).part("rule")); !strings.Contains(text, says) {
			t.Errorf("%s: %s", path, text)
		}
	}
}

func sceneIsWhole(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab").want(200)) {
		for _, r := range statesOf(t, s, name) {
			if n := r.part("scene"); !inSight(n) || !strings.HasSuffix(textOf(n), ".") {
				t.Errorf("%s: the scene is not in sight: %s", r.path, textOf(n))
			}
		}
	}
	for path, says := range map[string]string{
		"/lab/A1": "Go on until no actor has anything to do.", "/lab/own-gate?s=olga": "Here the post does not require it.",
		"/lab/shut-gate": "Here w1's do not.", // the last sentence of a long one
	} {
		s.get(path).want(200).says(says)
	}
}

func sceneLeadsToFence(t *testing.T) {
	s := newSite(t)
	led := ""
	for _, name := range levelNames(s.get("/lab").want(200)) {
		for _, link := range within(s.get("/lab/"+name).want(200).part("scene"), "a") {
			led += name + " " + attribute(link, "href")[:len("/static/fence")] + "\n"
		}
	}
	if led != "own-gate /static/fence\nshut-gate /static/fence\n" {
		t.Errorf("the scenes lead to\n%s", led)
	}
}
