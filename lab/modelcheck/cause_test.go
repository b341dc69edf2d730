package modelcheck_test

import (
	"slices"
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestCause(t *testing.T) {
	t.Run("it is the step that a teacher would name, and so are the two that change places in the twin", causesAreTaught)
	t.Run("of each run of a small level, the twin parts at the step because of which the invariant is broken", twinsPartThere)
	t.Run("each twin holds, and differs from its run no later than the step because of which that breaks the invariant", twinsHold)
}

// of is the case of a record, with its run.
func of(t *testing.T, r modelcheck.Record) (modelcheck.Case, lab.Schedule, []lab.Moment) {
	t.Helper()
	c, err := modelcheck.Find(r.Name)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.FollowText(r.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	schedule, _ := c.Parse(r.Schedule) // FollowText has read it
	return c, schedule, run
}

// causesAreTaught names calls and not steps, because schedules are recorded anew.
func causesAreTaught(t *testing.T) {
	for name, want := range map[string]struct{ because, twin string }{
		"A1":           {"w1 Blogs: list news", "ann Blogs: insert blog!…!ann.1 before w1 Blogs: list news"},
		"A2":           {"w2 queue: receive", "w2 Channels: delete news before w1 Channels: delete news"},
		"A3":           {"olga Channels: merge news (deleting)", "without olga dies after it"},
		"A4":           {"ann Channels: insert news (active)", "without ann takes effect, SDK sends it again"},
		"twice":        {"ann Blogs: insert blog!…!ann.1", "without ann takes effect, reply lost, not sent again"},
		"lost-message": {"network news", "without network the queue loses a message"},
		"index-first":  {"network delete news setup.5", "without network the queue loses a message"},
		"poison-row":   {"w1 queue: delete the message", "without w1 dies after it"},
		"late-copy":    {"w1 Blogs: list news", "network Blogs: insert blog!…!olga.1 before w1 Blogs: list news"},
		"link-version": {"vera2 Sessions: read 1bff…", "vera Sessions: merge 1bff… before vera2 Sessions: read 1bff…"},
		"own-gate":     {"w1 Blogs: list news", "olga Blogs: insert once!d799…; insert blog!…!olga.1; insert rate!9999999999!…!olga.1 before w1 Blogs: list news"},
		"reply-gate":   {"w1 Blogs: list news reply!2524239935969999999!setup.7", "olga Blogs: merge gate!open!setup.5; insert once!d799…; insert reply!…!setup.7!0631139040000000000-olga.1 before w1 Blogs: list news reply!2524239935969999999!setup.7"},
		"open-gate":    {"w1 Blogs: list news", "ann Blogs: insert once!4e9d…; insert blog!…!ann.1; insert rate!9999999999!…!ann.1 before w1 Blogs: list news"},
		"shut-gate":    {"", "w1 Blogs: list news before ann Blogs: merge gate!open!ann.1; insert join!ann"},
		"fresh-read":   {"", "w1 Blogs: delete vote!…!setup.9!ann before w2 Blogs: list news"},
		"pivot":        {"", "olga Channels: merge news (active) if still 0.49/0 before w1 Channels: read news"},
	} {
		record, _ := modelcheck.About(known(t), name)
		c, schedule, run := of(t, record)
		call := func(step int) string {
			words := c.Words(*run[step].Step)
			return words.Actor + " " + words.Call
		}
		cause := c.Why(schedule, record.Invariant)
		because, twin := "", ""
		if cause.Because > 0 {
			because = call(cause.Because)
		}
		switch {
		case cause.Moved > 0:
			twin = call(cause.Moved) + " before " + call(cause.Before)
		case cause.Fault > 0:
			words := c.Words(*run[cause.Fault].Step)
			twin = "without " + words.Actor + " " + words.Fate
		}
		if because != want.because || twin != want.twin || (cause.Searched == 0) != (want.because == "") {
			t.Errorf("%s breaks its invariant because of %q, and its twin is %q (%+v)", name, because, twin, cause)
		}
	}
}

func twinsHold(t *testing.T) {
	const fewStates = 1000
	twins, searched := 0, 0
	for _, r := range known(t) {
		if r.Schedule == "" {
			continue
		}
		c, schedule, run := of(t, r)
		cause, whole := c.TwinOf(t.Context(), schedule)
		if cause.Twin == "" || !whole {
			continue
		}
		twins++
		held, err := c.FollowText(cause.Twin)
		if end := held[len(held)-1]; err != nil || end.Violated() != nil || !end.Quiescent() {
			t.Errorf("%s: the twin %s breaks %v, or goes on: %v", r.Name, cause.Twin, end.Violated(), err)
		}
		first := max(cause.Before, cause.Fault)
		twin, _ := c.Parse(cause.Twin)
		if same := schedule[:first-1]; !slices.Equal(twin[:first-1], same) {
			t.Errorf("%s: the twin %s differs before step %d", r.Name, cause.Twin, first)
		}
		if cause.Moved > 0 {
			free := c
			free.Preemptions = 0 // then no choice is left out for want of an interruption
			run, _ := free.Follow(moved(schedule, cause), true)
			if end := run[len(run)-1]; end.Violated() != nil {
				t.Errorf("%s: with step %d before step %d, it breaks %v", r.Name, cause.Moved, cause.Before, end.Violated())
			}
		}
		x := lab.NewExplorer(c.Scenario)
		if reach := x.Reach(t.Context(), r.Invariant, fewStates); reach != nil {
			searched++
			if because := reach.Because(run, r.Invariant); first > because {
				t.Errorf("%s: every way breaks the invariant since step %d, but that of the twin, which differs at %d", r.Name, because, first)
			}
		}
		x.Close()
	}
	if twins < 80 || searched < 30 {
		t.Errorf("%d twins, of which %d were held against a search", twins, searched)
	}
}

// moved is the schedule with the step that a twin moves, and what its actor does in between, where the twin has it.
func moved(schedule lab.Schedule, cause modelcheck.Cause) lab.Schedule {
	var mine, others lab.Schedule
	for _, c := range schedule[cause.Before-1 : cause.Moved] {
		if c.Actor == schedule[cause.Moved-1].Actor {
			mine = append(mine, c)
		} else {
			others = append(others, c)
		}
	}
	return slices.Concat(schedule[:cause.Before-1], mine, others, schedule[cause.Moved:])
}

func twinsPartThere(t *testing.T) {
	for _, name := range []string{"A1", "A3", "A4", "twice", "lost-message", "link-version", "index-touch"} {
		record, _ := modelcheck.About(known(t), name)
		c, err := modelcheck.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		x := lab.NewExplorer(c.Scenario)
		reach, runs := x.Reach(t.Context(), record.Invariant, record.Searched), 0
		for _, schedule := range runsOf(x.Graph(t.Context(), record.Invariant, record.Searched), 0, nil) {
			run, err := c.Follow(schedule, false)
			if err != nil {
				t.Fatal(err)
			}
			because := reach.Because(run, record.Invariant)
			if because == 0 {
				continue // it holds
			}
			runs++
			if cause, _ := c.TwinOf(t.Context(), schedule); max(cause.Before, cause.Fault) != because {
				t.Errorf("%s: %s breaks the invariant because of step %d, and its twin is %+v", name, c.Format(schedule), because, cause)
			}
		}
		if x.Close(); runs == 0 {
			t.Errorf("%s has no run that breaks the invariant", name)
		}
	}
}

// runsOf are all runs of a graph that go on from a run, which has led to a state, to their ends.
func runsOf(g *lab.Graph, state int, run lab.Schedule) (ended []lab.Schedule) {
	ends := true
	for _, way := range g.Ways {
		if way.From == state {
			ends, ended = false, append(ended, runsOf(g, way.To, append(slices.Clip(run), way.Step.Choice))...)
		}
	}
	if ends {
		return []lab.Schedule{run}
	}
	return ended
}
