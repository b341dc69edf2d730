package lab_test

import (
	"errors"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestFollow(t *testing.T) {
	t.Run("a moment says who does what, what may befall them and which laws hold", momentSaysAll)
	t.Run("a broken law is noted and the run goes on", followGoesOn)
	t.Run("a choice that cannot be taken has a position and a reason", stuckHasAReason)
	t.Run("an option that cannot be chosen says why", everyRefusalHasAReason)
	t.Run("fresh workers judge only what is at rest", restJudges)
}

func follow(t *testing.T, name, schedule string) []lab.Moment {
	t.Helper()
	c, err := prove.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := c.Parse(schedule)
	if err != nil {
		t.Fatal(err)
	}
	moments, err := explorer(t, c.Scenario).Follow(choices)
	if err != nil {
		t.Fatal(err)
	}
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
		t.Error("nobody holds the message that w1 has received")
	}
	if why := m.Actors[2].Options[0].Why; why != "the queue is empty" {
		t.Errorf("w1 cannot receive because %q", why)
	}
	if o := m.Actors[0].Options[1]; o.Word != "ann:dies-before" || o.Why != "this level allows no fault" {
		t.Errorf("ann's second option is %+v", o)
	}
	for _, law := range m.Laws {
		if open := law.Law == "A1" || law.Law == "A3" || law.Law == "A4"; open != (law.State == lab.LawOpen) || open == (law.Reason == "") {
			t.Errorf("law %+v", law)
		}
	}
}

func followGoesOn(t *testing.T) {
	moments := follow(t, "A2", "w1*4,ann,w2*4")
	for i, m := range moments {
		if m.Broken() != (i == 9) {
			t.Errorf("after %d steps the laws are %+v", i, m.Laws)
		}
	}
	last := moments[len(moments)-1]
	if a2 := last.Laws[1]; a2.Law != "A2" || a2.State != lab.LawBroken || a2.Since != 9 || a2.Reason == "" {
		t.Errorf("a law that was broken is %+v", a2)
	}
}

func stuckHasAReason(t *testing.T) {
	c, err := prove.Find("A3")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]lab.StuckError{
		"olga,bob":                         {1, "bob", `scenario A3 has no actor "bob"; it has olga`},
		"olga*2,olga:sleeps":               {2, "olga:sleeps", `there is no fate "sleeps"; there are arrives, `},
		"olga*3":                           {2, "olga", "finished"},
		"olga:dies-after,olga":             {1, "olga", "dead"},
		"olga:lost":                        {0, "olga:lost", "here processes die, and nothing else goes wrong"},
		"olga,olga:dies-after,olga":        {2, "olga", "dead"},
		"network:lands":                    {0, "network:lands", "no such call is under way"},
		"olga:lands":                       {0, "olga:lands", "the network alone does that"},
		"network":                          {0, "network", "only an actor's call has this fate"},
		"olga@1":                           {0, "olga@1", "only a call that receives has a number"},
		"olga@x":                           {0, "olga@x", `"x" is not the number`},
		"olga*20000":                       {0, "olga*20000", "it is taken"},
		"olga,,olga":                       {1, "", "has no actor"},
		"olga*9999,olga:dies-after,olga*2": {10000, "olga*2", "a schedule has at most"},
	} {
		schedule, err := c.Parse(text)
		if err == nil {
			_, err = explorer(t, c.Scenario).Follow(schedule)
		}
		var stuck *lab.StuckError
		if !errors.As(err, &stuck) || stuck.Position != want.Position || stuck.Word != want.Word || !strings.HasPrefix(stuck.Why+" ", want.Why) && !strings.Contains(stuck.Why, want.Why) {
			t.Errorf("%s: %+v, want %+v", text, err, want)
		}
	}
}

// everyRefusalHasAReason follows the shortest schedules that are known. An option without a
// reason must be one that the explorer takes: Follow itself refuses the others.
func everyRefusalHasAReason(t *testing.T) {
	known, err := prove.Known()
	if err != nil {
		t.Fatal(err)
	}
	whys := map[string]bool{}
	for _, record := range known {
		for _, m := range follow(t, record.Name, record.Schedule) {
			possible := 0
			options := m.Network
			for _, a := range m.Actors {
				options = append(options, a.Options...)
			}
			for _, o := range options {
				whys[o.Why] = true
				if o.Why == "" {
					possible++
				}
				if o.Word == "" || o.Label == "" {
					t.Errorf("%s: option %+v says nothing", record.Name, o)
				}
			}
			if m.AtRest != (possible == 0) {
				t.Errorf("%s: at rest is %t, and %d options can be chosen", record.Name, m.AtRest, possible)
			}
		}
	}
	if len(whys) < 12 {
		t.Errorf("options say only %v", whys)
	}
}

func restJudges(t *testing.T) {
	c, err := prove.Find("A3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := explorer(t, c.Scenario).Rest(nil); err == nil {
		t.Error("a state in which olga can go on is judged")
	}
	schedule, err := c.Parse("olga*2")
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := explorer(t, c.Scenario).Rest(schedule)
	if err != nil || outcome.Breaches != nil || len(outcome.Deeds) != 1 || c.DescribeDeed(outcome.Deeds[0]) != "handles: news" {
		t.Errorf("outcome is %+v, error %v", outcome, err)
	}
	for range outcome.DB.Rows("Channels") {
		t.Error("the channel is still there")
	}
}
