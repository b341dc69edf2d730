package page_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestOutcome(t *testing.T) {
	t.Run("it says when the invariant was seen to be violated, because of which step, and what holds", outcomeSays)
	t.Run("each shortest run is there whole, next to one that holds, and its last step is not blamed for what the idle system shows", outcomesAreWhole)
	t.Run("what the missing safeguard would have answered comes before the two runs", answerComesFirst)
	t.Run("a step is named only if all states were searched, and the page offers that search", unsearchedIsSaid)
	t.Run("what the safeguard would have answered is about the step that is named, or about the place where the runs part", answersAreAboutTheStep)
	t.Run("the write that did it is the one that violates an invariant which is checked always, or one that the safeguard prevents", didIsTheViolation)
	t.Run("what the sender of a late request had read is what it read before it sent that", lateSenderKnew)
	t.Run("no line of code is that of package optimistic", linesAreTheCallers)
}

// outcome is the text of the two runs.
func (r response) outcome() string { return textOf(r.part("run")) }

func outcomeSays(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct {
		path string
		says []string
	}{
		{orphan, []string{
			"Steps 1 to 5 are the same in both", "6 w1 List the posts to delete, as they are at this moment → no row because of this",
			"→ + post by Ann “posted” the write that did it 68 return b.write(ctx, blogs, driver.Insert", "idle No actor can go on, so it is checked: a post is left of a channel that is gone.",
			"Its twin: step 7 comes before step 6", "“posted” step 7, before step 6", "→ post by Ann step 6, with another answer", "Checked: all invariants hold.",
		}},
		{"/lab/A2?s=w1*4,ann,w2*4", []string{"because of this: since then every way violates it", "the write that did it ✗ violates", "Its twin: step 9 comes before step 4",
			"Every way on violates it since step 6. A twin differs in one call only, so it has to part earlier: at step 4."}},
		{"/lab/A1?s=ann,olga*2,w1*4,ann,w1", []string{"no row because of this", "“posted” the write that did it", "Its twin: step 8 comes before step 6", "At step 8, what ann knew was old, and the write did not depend on it. Channel “news”: active, read at 1, and since step 7: not there."}},
		{"/lab/A4?s=ann:repeated,ann", []string{"Its twin: the fault of step 1 does not happen", "the same step without the fault"}},
		{"/lab/lost-message?s=olga*2,network:forgotten", []string{"Its twin: the fault of step 3 does not happen"}},
		{"/lab/poison-row?s=w1,w1:dies-after,operator", []string{"Its twin: the fault of step 2 does not happen", "With the safeguard, step 2 (w1: Take the message off the queue) does not come. In its place, w1 does this: “Record the message, for an operator”."}},
		{"/lab/open-gate?s=ann*4,olga*6,w1*13,ann,w1*6&reach=1", []string{
			"because of this", "the write that did it", "With the safeguard, the store refuses step 24: not there: open gate of incarnation 1, since step 16.", "driver.Merge(schema.OpenGateRow(ref.Incarnation), driver.Exists)",
		}},
		{"/lab/shut-gate?s=w1*12,w2*11,ann*10,w1*3", []string{"Its twin: step 34 comes before step 33", "With the safeguard, the store refuses step 36", "the write that did it"}},
		{"/lab/pivot?s=olga*4,w1*5,olga*3,w1*2", []string{"driver.Delete(schema.OpenGateRow(ref.Incarnation), driver.Exists), driver.Insert(schema.ShutGateRow(ref.Incarnation), driver.String(schema.PropIncarnation, ref.Incarnation)))"}},
		{"/lab/A2?s=w1*4,ann,w2*4", []string{`driver.Delete("", driver.Exists)); err != nil { ✓ Its twin`}},
		{"/lab/vote-counted?s=ann*8", []string{"The same run with the safeguard"}},
	} {
		text := s.get(at.path).want(200).outcome()
		for _, says := range at.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s does not say %q but %s", at.path, says, text)
			}
		}
	}
	s.get(orphan + "&at=8").want(200).says("every way on wins since step 6")
	if text := s.get("/lab/A1?s=ann,olga*2,w1*2").want(200).text(); strings.Contains(text, "every way on wins") {
		t.Error("a run that can go both ways is said to win")
	}
}

func outcomesAreWhole(t *testing.T) {
	s := newSite(t)
	for _, c := range modelcheck.Cases() {
		record := recordOf(t, c.Name)
		if record.Schedule == "" {
			continue
		}
		run, err := c.FollowText(record.Schedule)
		ok(t, err)
		r := s.get("/lab/" + c.Name + "?s=" + record.Schedule).want(200)
		steps := r.all(func(n *html.Node) bool { return hasClass(n, "step") && has(n, "data-step") })
		if len(steps) != record.Shortest {
			t.Errorf("%s: %d steps of %d", c.Name, len(steps), record.Shortest)
		}
		violated := run[record.Shortest].Violated()
		idle := violated[slices.IndexFunc(violated, func(i lab.InvariantState) bool { return i.Name == record.Invariant })].Idle
		if blamed := strings.Contains(textOf(steps[len(steps)-1]), "✗ violates "+titleOf(c, record.Invariant)); blamed == idle {
			t.Errorf("%s: the invariant is seen only when nothing can happen any more: %v, and the last step is blamed: %v", c.Name, idle, blamed)
		}
		if text := r.outcome(); !strings.Contains(text, "✓ ") && !strings.Contains(text, "the same steps can be taken, and all invariants hold") {
			t.Errorf("%s has no run that holds: %s", c.Name, text[strings.Index(text, "No run"):])
		}
	}
}

func answerComesFirst(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"link-version", "index-first", "poison-row", "own-gate", "shut-gate", "fresh-read", "pivot"} {
		if text := s.get("/lab/" + name + "?s=" + recordOf(t, name).Schedule).want(200).outcome(); !strings.HasPrefix(text, "With the safeguard, ") {
			t.Errorf("%s begins with: %s", name, excerpt(text, ""))
		}
	}
	if text := s.get(orphan).want(200).outcome(); strings.Contains(text, "it has to part earlier") {
		t.Error("the twin of A1 is said to part earlier")
	}
}

// answersAreAboutTheStep holds each sentence against the two runs.
func answersAreAboutTheStep(t *testing.T) {
	s := newSite(t)
	step := regexp.MustCompile(`step (\d+)`)
	named := regexp.MustCompile(`step (\d+) \(([^:]*): (.*)\)`)
	place := regexp.MustCompile(`does not come\. In its place, ([^:]*) does this: “(.*)”\.$`)
	parts := regexp.MustCompile(`does not come then\. The run parts at step (\d+), (?:where it ends|and goes on with ([^:]*): “(.*)”)\.$`)
	for _, c := range modelcheck.Cases() {
		record := recordOf(t, c.Name)
		if c.Safeguard == nil || record.Schedule == "" {
			continue
		}
		r := s.get("/lab/" + c.Name + "?s=" + record.Schedule).want(200)
		says := textOf(within(r.all(func(n *html.Node) bool { return hasClass(n, "held") })[0], "p")[0])
		if strings.HasPrefix(says, "With the safeguard, the same steps can be taken") {
			if n := newPair(t, c, record.Schedule).splits(); n > 0 {
				t.Errorf("%s: %s But step %d is not the same", c.Name, says, n)
			}
			continue
		}
		pair := newPair(t, c, record.Schedule)
		at, _ := strconv.Atoi(step.FindStringSubmatch(says)[1])
		mine := textOf(r.part("step-" + strconv.Itoa(at)))
		if m := named.FindStringSubmatch(says); m != nil && !strings.HasPrefix(mine, m[1]+" "+m[2]+" "+m[3]) {
			t.Errorf("%s: %s But the step is %s", c.Name, says, mine)
		}
		there, comes := pair.place(at)
		same := comes && pair.with[there].Step.Site() == pair.without[at].Step.Site()
		failed := func(m lab.Moment) bool { return m.Step.Applied != nil && m.Step.Applied.Err != nil }
		refused := same && failed(pair.with[there]) && !failed(pair.without[at])
		call := func(n int) (actor, words string) {
			return pair.actor(pair.complete, pair.with[n]), strings.TrimSuffix(pair.complete.Tell(pair.with[n].Step.Call, pair.with[n].Step.Site()), ".")
		}
		switch {
		case strings.Contains(says, "the store refuses") && refused:
		case place.MatchString(says) && comes && !same:
			actor, words := call(there)
			if m := place.FindStringSubmatch(says); m[1] != actor || m[2] != words || pair.actor(c, pair.without[at]) != actor {
				t.Errorf("%s: %s But there %s does: %s", c.Name, says, actor, words)
			}
		case parts.MatchString(says) && there != at:
			m, splits := parts.FindStringSubmatch(says), pair.splits()
			if m[1] != strconv.Itoa(splits) {
				t.Errorf("%s: %s But it parts at step %d", c.Name, says, splits)
			}
			if splits >= len(pair.with) && m[2] == "" {
				break
			}
			if actor, words := call(splits); m[2] != actor || m[3] != words {
				t.Errorf("%s: %s But there %s does: %s", c.Name, says, actor, words)
			}
		case (strings.Contains(says, "is another one") || strings.Contains(says, "goes another way after") || strings.Contains(says, "writes or sends something else")) && same && !refused:
		default:
			t.Errorf("%s: %s But there it comes (%v), is the same call (%v), is refused (%v)", c.Name, says, comes, same, refused)
		}
	}
}

// A pair is a run without a safeguard, and the same with it.
type pair struct {
	c, complete   modelcheck.Case
	without, with []lab.Moment
}

func newPair(t *testing.T, c modelcheck.Case, schedule string) pair {
	t.Helper()
	complete, err := modelcheck.Find(c.Safeguard.Of)
	ok(t, err)
	complete.Preemptions = c.Preemptions
	without, err := c.FollowText(schedule)
	ok(t, err)
	same, err := complete.Parse(schedule)
	ok(t, err)
	with, err := complete.Follow(same, true)
	ok(t, err)
	return pair{c, complete, without, with}
}

func (pair) actor(c modelcheck.Case, m lab.Moment) string {
	if m.Step.Choice.Actor < 1 {
		return "network"
	}
	return c.Actors[m.Step.Choice.Actor-1].Name
}

// splits is the first step that another actor takes with the safeguard, or by another call, or with another answer. It is 0
// if there is none.
func (p pair) splits() int {
	failed := func(m lab.Moment) bool { return m.Step.Applied != nil && m.Step.Applied.Err != nil }
	for n := 1; n < len(p.without); n++ {
		if n == len(p.with) || p.actor(p.c, p.without[n]) != p.actor(p.complete, p.with[n]) ||
			p.without[n].Step.Site() != p.with[n].Step.Site() || failed(p.without[n]) != failed(p.with[n]) {
			return n
		}
	}
	return 0
}

// place is the step with the safeguard that is as many of its actor's as the step is of that actor's without it.
func (p pair) place(at int) (there int, comes bool) {
	nth := 0
	for _, m := range p.without[1 : at+1] {
		if p.actor(p.c, m) == p.actor(p.c, p.without[at]) {
			nth++
		}
	}
	for n := 1; n < len(p.with); n++ {
		if p.actor(p.complete, p.with[n]) == p.actor(p.c, p.without[at]) {
			if nth--; nth == 0 {
				return n, true
			}
		}
	}
	return 0, false
}

func unsearchedIsSaid(t *testing.T) {
	s := newSite(t)
	const run, unknown = "/lab/link-version?s=vera,vera2,vera*3,vera2*3", "Because of which step is not known: not all states were searched."
	s.get(run).want(200).says("Seen at step 8, because of step 2.")
	far := s.get("/lab/pivot?s=olga*4,w1*5,olga*3,w1").want(200).says(unknown)
	if text := far.outcome(); strings.Contains(text, "because of this") {
		t.Errorf("a step is named that no search has found: %s", text)
	}
	if to := far.href("say", "Search them all"); to != "/lab/pivot?s=olga*4,w1*5,olga*3,w1&reach=1" {
		t.Errorf("the search is at %s", to)
	}
	s.get("/lab/open-gate?s=ann*4,olga*6,w1*13,ann,w1*6&reach=1").want(200).says("Seen at step 30, because of step 23.")
}

func linesAreTheCallers(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/open-gate?s=ann*4,olga*6,w1*2", "/lab/open-gate?s=ann*4,olga*6,w1*11", "/lab/shut-gate?s=w1*11"} {
		r := s.get(path).want(200)
		for _, part := range r.all(func(n *html.Node) bool { return hasClass(n, "place") || hasClass(n, "src") }) {
			if text := textOf(part); strings.Contains(text, "storage/optimistic/") || strings.Contains(text, "table.Find(ctx, partition, row)") {
				t.Errorf("%s shows %s", path, text)
			}
		}
		if shown := r.all(func(n *html.Node) bool { return hasClass(n, "place") }); len(shown) == 0 {
			t.Errorf("%s shows no line", path)
		}
	}
}

func didIsTheViolation(t *testing.T) {
	s := newSite(t)
	for path, step := range map[string]string{
		"/lab/A2?s=w1*3,w2*4,ann,w1": "step-9", "/lab/A2?s=w1*2,w2*4,ann,w1*2": "step-9", "/lab/pivot?s=olga*4,w1*5,olga*3,w1": "step-13",
		"/lab/fresh-read?s=" + recordOf(t, "fresh-read").Schedule: "step-21", "/lab/reservation?s=" + recordOf(t, "reservation").Schedule: "step-34", "/lab/link-version?s=vera,vera2,vera*3,vera2*3": "step-6",
	} {
		r := s.get(path).want(200)
		if text := textOf(r.part(step)); strings.Count(r.outcome(), "the write that did it") != 1 || !strings.Contains(text, "the write that did it") {
			t.Errorf("%s: %s is %q", path, step, text)
		}
	}
}

func lateSenderKnew(t *testing.T) {
	s := newSite(t)
	says := s.get("/lab/late-copy?s=olga,olga:given-up,olga*2,w1*5,network:lands").want(200).outcome()
	if want := "At step 10, what olga knew was old, and the write, sent at step 2, did not depend on it. Channel “news”: active, read at 1, and since step 8: not there."; !strings.Contains(says, want) {
		t.Errorf("it does not say %q but %s", want, says[max(0, len(says)-300):])
	}
	if says := s.get("/lab/A2?s=w1,w2*4,ann,w1*3").want(200).outcome(); !strings.Contains(says, "a call takes the same effect earlier") {
		t.Errorf("what was tried in vain is not said: %s", says[max(0, len(says)-300):])
	}
}
