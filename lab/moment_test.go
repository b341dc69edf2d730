package lab_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestFollow(t *testing.T) {
	t.Run("a moment says what each actor does, what may happen to its call and which invariants hold", momentSaysAll)
	t.Run("a violated invariant is noted and the run goes on", followGoesOn)
	t.Run("a choice that cannot be taken has a position and a reason", stuckHasAReason)
	t.Run("each option can be taken, and without one it is said why", everyOptionCanBeTaken)
	t.Run("a run that is completed takes no fault, also where time can pass or a message be lost", completedRunHasNoFault)
	t.Run("the invariants of an idle system are checked only when it is idle", restJudges)
}

func follow(t *testing.T, name, schedule string) []lab.Moment {
	t.Helper()
	c, err := modelcheck.Find(name)
	ok(t, err)
	choices, err := c.Parse(schedule)
	ok(t, err)
	moments, err := explorer(t, c.Scenario).Follow(choices, false)
	ok(t, err)
	return moments
}

func momentSaysAll(t *testing.T) {
	moments := follow(t, "A1", "ann,olga")
	if len(moments) != 3 || moments[0].Step != nil || moments[2].Step == nil || len(moments[2].Step.Changes()) != 1 {
		t.Fatalf("moments are %+v", moments)
	}
	m := moments[2]
	var words []string
	for _, a := range m.Actors {
		words = append(words, a.Name+" "+a.State+" "+a.Words)
	}
	const want = "ann about to call Blogs: insert blog!…!ann.1; olga about to call queue: send news; w1 about to call queue: receive"
	if got := strings.Join(words, "; "); got != want {
		t.Errorf("actors are %s, want %s", got, want)
	}
	if last := follow(t, "A1", "ann,olga*2,w1")[4].DB; !last.Leased(domain.QueueName, last.Messages(domain.QueueName)[0].ID) {
		t.Error("the message that w1 has received is not leased")
	}
	if why := m.Actors[2].Why; why != "the queue is empty" || m.Actors[2].Options != nil {
		t.Errorf("w1 cannot receive because %q", why)
	}
	if o := m.Actors[0].Options; len(o) != 1 || o[0].Word != "ann" || o[0].Label == "" {
		t.Errorf("ann's options are %+v", o)
	}
	for _, invariant := range m.Invariants {
		if open := invariant.Name == "A1" || invariant.Name == "A3" || invariant.Name == "A4"; open != (invariant.State == lab.InvariantOpen) || open == (invariant.Reason == "") {
			t.Errorf("invariant %+v", invariant)
		}
	}
}

func followGoesOn(t *testing.T) {
	moments := follow(t, "A2", "w1*4,ann,w2*4")
	for i, m := range moments {
		broken := slices.ContainsFunc(m.Invariants, func(invariant lab.InvariantState) bool { return invariant.State == lab.InvariantViolated })
		if broken != (i == 9) {
			t.Errorf("after %d steps the invariants are %+v", i, m.Invariants)
		}
	}
	last := moments[len(moments)-1]
	if a2 := last.Invariants[1]; a2.Name != "A2" || a2.State != lab.InvariantViolated || a2.Since != 9 || a2.Reason == "" {
		t.Errorf("an invariant that was broken is %+v", a2)
	}
}

func stuckHasAReason(t *testing.T) {
	c, err := modelcheck.Find("A3")
	ok(t, err)
	for text, want := range map[string]lab.StuckError{
		"olga,bob":                   {1, "bob", `scenario A3 has no actor "bob"; it has olga`},
		"olga*2,olga:sleeps":         {2, "olga:sleeps", `there is no fate "sleeps"; there are arrives, `},
		"olga*3":                     {2, "olga", "nothing can happen any more"},
		"olga:lost":                  {0, "olga:lost", "what can happen here is olga, olga:dies-before, olga:dies-after"},
		"olga,olga:dies-after,olga":  {2, "olga", "nothing can happen any more"},
		"network:lands":              {0, "network:lands", "what can happen here is olga, "},
		"olga@1":                     {0, "olga@1", "what can happen here is olga, "},
		"olga@x":                     {0, "olga@x", `"x" is not the number`},
		"olga*x":                     {0, "olga*x", "it is taken"},
		"olga*0":                     {0, "olga*0", "it is taken"},
		"olga*201":                   {200, "olga*201", "a run has 200 steps at most"},
		"olga,,olga":                 {1, "", "has no actor"},
		"olga*199,olga:dies-after*2": {200, "olga:dies-after*2", "a run has"},
	} {
		schedule, err := c.Parse(text)
		if err == nil {
			_, err = explorer(t, c.Scenario).Follow(schedule, false)
		}
		var stuck *lab.StuckError
		if !errors.As(err, &stuck) || stuck.Position != want.Position || stuck.Word != want.Word || !strings.Contains(stuck.Why, want.Why) {
			t.Errorf("%s: %+v, want %+v", text, err, want)
		}
	}
}

// everyOptionCanBeTaken follows the shortest schedules that are known.
func everyOptionCanBeTaken(t *testing.T) {
	known, err := modelcheck.Known()
	ok(t, err)
	for _, record := range known {
		for _, m := range follow(t, record.Name, record.Schedule) {
			options := m.Network
			for _, a := range m.Actors {
				options = append(options, a.Options...)
				if (a.Why == "") == (a.Options == nil) {
					t.Errorf("%s: %s has the options %v and %q", record.Name, a.Name, a.Options, a.Why)
				}
			}
			if slices.ContainsFunc(options, func(o lab.Option) bool { return o.Word == "" || o.Label == "" }) || m.Quiescent() == slices.ContainsFunc(options, func(o lab.Option) bool { return o.Choice.Fate != lab.Forgotten }) {
				t.Errorf("%s: options %+v, quiescent %t", record.Name, options, m.Quiescent())
			}
		}
	}
}

func completedRunHasNoFault(t *testing.T) {
	for _, name := range []string{"undo-clocks", "undo-index"} {
		c, err := modelcheck.Find(name)
		ok(t, err)
		run, err := c.Follow(nil, true)
		ok(t, err)
		if last := run[len(run)-1]; !last.Quiescent() || last.Faults != run[0].Faults {
			t.Errorf("%s: after %d steps it is idle: %v, with %d faults of %d left", name, len(run)-1, last.Quiescent(), last.Faults, run[0].Faults)
		}
	}
}

func restJudges(t *testing.T) {
	for name, idle := range map[string]bool{"A1": true, "A2": false, "A4": false, "lost-message": true, "link-version": false} {
		known, err := modelcheck.Known()
		ok(t, err)
		record, _ := modelcheck.About(known, name)
		run := follow(t, name, record.Schedule)
		if violated := run[len(run)-1].Violated(); violated[0].Idle != idle {
			t.Errorf("%s: it is seen only because nothing can happen any more: %v", name, violated[0].Idle)
		}
	}
	for i, m := range follow(t, "A3", "olga*2") {
		if m.Quiescent() != (i == 2) {
			t.Errorf("after %d steps quiescent is %t", i, m.Quiescent())
		}
		if !m.Quiescent() {
			continue
		}
		c, _ := modelcheck.Find("A3")
		if rest := m.Rest; rest.Violations != nil || len(rest.Deeds) != 1 || c.DescribeDeed(rest.Deeds[0]) != "handles: news" {
			t.Errorf("outcome is %+v", rest)
		}
		for range m.Rest.DB.Rows("Channels") {
			t.Error("the channel is still there")
		}
	}
}
