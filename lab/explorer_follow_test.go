package lab_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
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

func TestSource(t *testing.T) {
	t.Run("every step of a schedule names a line that makes a call", sitesMakeCalls)
	t.Run("all files of the folders are there and no test", sourceIsWhole)
}

// known are a schedule of each kind of scenario.
func known() map[string]string {
	return map[string]string{
		"A1": "ann,olga*2,w1*3,ann,w1*2", "A2": "w1*4,ann,w2*4", "A3": "olga:dies-after", "A4": "ann:repeated,ann",
		"open-gate": "ann,olga*6,w1*12,ann,w1*6", "shut-gate": "w1*12,w2*7,w1*3,ann*8,w2*3",
		"late-row": "ann*4,ann:given-up,ann*2,network:lands,vera*2,ann", "join": "vera*5,feed*5,vera:dies-after,feed",
		"address": "vera*2,vera:unsent,vera,vera:given-up,vera*2,network:lands", "reconcile": "olga*6,network:forgotten",
		"record-unread": "w1*2,w2*2", "post": "ann,olga*6,w1*12,ann,w1*6",
	}
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
	// The step before the last hurt another incarnation. The last did not.
	moments = follow(t, "shut-gate", "w1*12,w2*7,w1*3,ann*8,w2*4")
	if i2 := moments[34].Laws[1]; i2.Law != "I2" || i2.State != lab.LawBroken || i2.Since != 33 {
		t.Errorf("a law that was broken is %+v", i2)
	}
	moments = follow(t, "once", "ann,ann2,olga*2,ann,ann2")
	last := moments[len(moments)-1]
	if !last.AtRest || last.Actors[0].State != lab.Finished || last.Actors[0].Options[0].Why != "finished" {
		t.Errorf("at the end %+v", last.Actors)
	}
	for _, law := range last.Laws {
		switch {
		case law.Law == "I7" && (law.State != lab.LawBroken || !strings.HasPrefix(law.Reason, "I7: one idempotency key") || law.Since != 6),
			law.Law == "I6" && law.State != lab.LawOpen, law.Law == "I1" && law.State != lab.LawHolds:
			t.Errorf("at the end %+v", law)
		}
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
		"network:lands":                    {0, "network:lands", "0 late calls under way"},
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

// everyRefusalHasAReason follows schedules of all kinds. An option without a reason must
// be one that the explorer takes: Follow itself refuses the others.
func everyRefusalHasAReason(t *testing.T) {
	whys := map[string]bool{}
	for name, schedule := range known() {
		for _, m := range follow(t, name, schedule) {
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
					t.Errorf("%s: option %+v says nothing", name, o)
				}
			}
			if m.AtRest != (possible == 0) {
				t.Errorf("%s: at rest is %t, and %d options can be chosen", name, m.AtRest, possible)
			}
		}
	}
	for _, why := range []string{
		"", "finished", "dead", "the queue is empty", "no fault left: this level allows 1", "this level allows no fault",
		"the two are alike, so let w1 start first", "w2 goes on first: an actor that can go on has to wait 4 times at most here",
		"it reads: a second copy changes nothing",
	} {
		if !whys[why] {
			t.Errorf("no option says %q; they say %v", why, whys)
		}
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

func sitesMakeCalls(t *testing.T) {
	for name, schedule := range known() {
		for i, m := range follow(t, name, schedule) {
			for _, a := range m.Actors {
				if a.State != lab.AboutToCall {
					continue
				}
				if !makesACall(t, a.Site) {
					t.Errorf("%s after %d steps: %s, %s: site %+v makes no call", name, i, a.Name, a.Words, a.Site)
				}
				t.Logf("%s: %s:%d %s", a.Words, a.Site.File, a.Site.Line, a.Site.Function)
			}
		}
	}
}

// makesACall tells whether a call begins on the line, in the function that Function says.
func makesACall(t *testing.T, site lab.Site) (found bool) {
	text, ok := lab.Source(site.File)
	first, last := lab.Function(site.File, site.Line)
	if !ok || first == 0 || site.Line < first || site.Line > last {
		return false
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, site.File, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			found = found || files.Position(call.Lparen).Line == site.Line
		}
		return true
	})
	return found
}

func sourceIsWhole(t *testing.T) {
	for _, folder := range []string{"storage", "worker", "lab/textbook"} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			name := folder + "/" + filepath.Base(file)
			got, ok := lab.Source(name)
			if test := strings.HasSuffix(name, "_test.go"); ok == test {
				t.Errorf("%s is there: %t; module.go says which files are", name, ok)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if ok && got != string(want) {
				t.Errorf("%s is not as it is in the folder", name)
			}
		}
	}
}
