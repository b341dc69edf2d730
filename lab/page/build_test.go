package page_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab/page"
	"microblogging/lab/toy"
)

func TestBuild(t *testing.T) {
	t.Run("each condition that is offered has a verdict and a run, before which none is shown", buildJudges)
	t.Run("says what a version is before it offers a condition on one", buildExplainsVersions)
	t.Run("a condition that cannot be chosen says why, and what is not offered is refused with a sentence", buildRefuses)
	t.Run("is a form that keeps the level and the projector", buildIsAForm)
	t.Run("a verdict is searched once", buildKeepsVerdicts)
	t.Run("marks the step that did it, the one before which it does no harm, and the one that a condition refuses", buildMarks)
}

func isVerdict(n *html.Node) bool { return has(n, "data-verdict") }

func buildJudges(t *testing.T) {
	s, held := newSite(t), ""
	for i, l := range toy.Levels() {
		address := "/lab/build?l=" + strconv.Itoa(i+1)
		start := s.get(address).want(200).says("Build "+strconv.Itoa(i+1)+": "+l.Title, l.Task, "Choose a condition, and check it")
		if start.all(isVerdict) != nil {
			t.Errorf("%s has a verdict before a choice", address)
		}
		for _, c := range l.Clauses {
			if c.Not != "" {
				continue
			}
			r := s.get(address + "&c=" + c.Name).want(200)
			verdict, steps := textOf(r.all(isVerdict)[0]), len(r.all(func(n *html.Node) bool { return hasClass(n, "n") }))
			switch {
			case strings.HasPrefix(verdict, "✓ Holds in all "):
				held += c.Name + " "
				r.says(l.Why, l.Idea, "is refused", "✓ holds")
			case !strings.HasPrefix(verdict, "✗ ") || !strings.Contains(verdict, "This is a shortest run: "+strconv.Itoa(steps)+" steps."):
				t.Errorf("%s, %s: %d steps, %q", address, c.Name, steps, verdict)
			}
		}
	}
	if held != "version version gate gate version " {
		t.Errorf("what holds is %s", held)
	}
}

func buildExplainsVersions(t *testing.T) {
	s := newSite(t)
	for i := range toy.Levels() {
		text := s.get("/lab/build?l=" + strconv.Itoa(i+1)).want(200).text()
		if before, _, offers := strings.Cut(text, "takes effect only if"); !offers || !strings.Contains(before, "A row has a version.") {
			t.Errorf("level %d offers conditions on versions, and does not say what one is", i+1)
		}
	}
}

func buildRefuses(t *testing.T) {
	s := newSite(t)
	s.get("/lab/build?l=1").want(200).says("There is no gate yet.")
	for query, want := range map[string]string{
		"l=1&c=gate":    "“the gate of this incarnation exists” cannot be the condition. There is no gate yet.",
		"l=3&c=channel": "No transaction spans both.",
		"l=2&c=gate":    "“c” is none of the conditions of this level.",
		"l=0":           "“l” is the number of a level, from 1 to 5.",
		"l=6":           "“l” is the number of a level, from 1 to 5.",
		"l=many":        "“l” is the number of a level, from 1 to 5.",
		"l=%zz":         "The address cannot be read",
	} {
		s.get("/lab/build?"+query).want(400).says("That cannot be checked", want)
	}
}

func buildIsAForm(t *testing.T) {
	r := newSite(t).get("/lab/build?l=3&c=any&large=1").want(200)
	fields := map[string]string{}
	for _, n := range r.all(func(n *html.Node) bool { return n.Data == "input" }) {
		if attribute(n, "type") == "hidden" || has(n, "checked") {
			fields[attribute(n, "name")] = attribute(n, "value")
		}
	}
	if fields["l"] != "3" || fields["c"] != "any" || fields["large"] != "1" {
		t.Errorf("the form sends %v", fields)
	}
	if links := r.links(); !slices.Contains(links, "/lab/build?l=4&large=1") {
		t.Errorf("no other level for a projector among %q", links)
	}
}

func buildKeepsVerdicts(t *testing.T) {
	s := newSiteOf(t, page.New().Judged("/lab/build?l=3&c=gate", toy.Verdict{States: 7, Run: []toy.Step{{Actor: "ann", Row: "post"}}, Actors: []string{"ann"}}))
	s.get("/lab/build?l=3&c=gate").want(200).says("Holds in all 7 states")
	s.get("/lab/build?l=3&c=any").want(200).says("✗ 8 steps")
}

func buildMarks(t *testing.T) {
	s := newSite(t)
	for query, want := range map[string][2]string{
		"l=3&c=any":     {"8 ann Insert the post → ok did it", "7 nora Put up gate 2 → ok no harm before this"},
		"l=3&c=version": {"6 otto Insert the post → refused: another version did it", "5 ann Insert the post → ok not refused before this"},
		"l=5&c=version": {"7 network A copy arrives: put up gate 1 → refused: a row is gone refused by your condition", ""},
	} {
		text := strings.Join(strings.Fields(s.get("/lab/build?"+query).want(200).text()), " ")
		if !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) {
			t.Errorf("%s: %s", query, text)
		}
	}
}
