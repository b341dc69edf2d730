package prove

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"microblogging/lab"
)

func TestCompare(t *testing.T) {
	t.Run("each story differs where the guard refuses, and the shipped code breaks no law", storiesDiffer)
	t.Run("without the guard the same story breaks a law", storiesNeedTheirGuard)
	t.Run("a mishap is told to its end, and the shipped code breaks no law", mishapsAreTold)
	t.Run("without a guard and with it the same choices are taken up to where they differ", guardsAreCompared)
	t.Run("a schedule of one's own that breaks nothing says what is open", ownScheduleSaysWhatIsOpen)
	t.Run("a step that changes nothing is no difference", harmlessStepIsNoDifference)
	t.Run("an actor dies in both, also where one of them makes no such call", actorDiesInBoth)
	t.Run("the shipped code stops where it cannot follow, and says why", shippedStopsWhereItCannotFollow)
	t.Run("every part of every run can be told", everyPartCanBeTold)
	t.Run("a schedule that cannot be taken is refused", impossibleScheduleIsRefused)
	t.Run("there is no story about anything else", noOtherStory)
}

func storiesDiffer(t *testing.T) {
	for anomaly, want := range map[string]struct {
		textbook, shipped, guard, refused, file, function string
	}{
		"A1": {"ann,olga*2,w1*3,ann", "ann,olga*6,w1*12,ann*2", "open-gate", "not found: merge gate!open!setup.4", "storage/blog_post.go", "(*Store).insertPosts"},
		"A2": {"w1*4,ann,w2*2", "w1*15,ann*12,w2*8", "incarnation", "ok", "storage/channel.go", "(*Store).readIncarnation"},
		"A3": {"olga:dies-after", "olga*5,olga:dies-after", "queue-first", "", "storage/deletion_ask.go", "(*Store).enqueue"},
		"A4": {"ann:repeated,ann", "ann*4,ann:repeated,ann*9", "look", "already exists", "storage/channel_create.go", "(*Store).resolveInsert"},
	} {
		c, err := Compare(anomaly, nil)
		if err != nil {
			t.Errorf("%s: %v", anomaly, err)
			continue
		}
		if c.TextbookSchedule != want.textbook || c.ShippedSchedule != want.shipped || c.Guard.Name != want.guard {
			t.Errorf("%s: textbook %s, shipped %s, guard %s", anomaly, c.TextbookSchedule, c.ShippedSchedule, c.Guard.Name)
		}
		if c.Site.File != want.file || c.Site.Function != want.function {
			t.Errorf("%s: the guard is in %+v, want %s %s", anomaly, c.Site, want.file, want.function)
		}
		if !c.Refuses() || c.TextbookEnd.Broken()[0].Law != anomaly || len(c.ShippedEnding) == 0 && anomaly == "A3" || !c.ShippedEnd.AtRest {
			t.Errorf("%s: broken %+v, ending %v", anomaly, c.TextbookEnd, c.ShippedEnding)
		}
		for i, row := range c.Rows {
			last := i == len(c.Rows)-1
			if row.Differs != (last && anomaly != "A3") || last && !answered(row, want.refused) {
				t.Errorf("%s: row %d is %+v", anomaly, i, row)
			}
		}
	}
}

func answered(row ComparisonRow, answer string) bool {
	for _, step := range row.Shipped {
		if step.Answer == answer {
			return true
		}
	}
	return false
}

func storiesNeedTheirGuard(t *testing.T) {
	for _, s := range stories() {
		guard, err := Find(s.guard)
		if err != nil {
			t.Fatal(err)
		}
		shipped, err := Find(s.shipped)
		if err != nil {
			t.Fatal(err)
		}
		without := shipped
		if guard.Of == s.shipped {
			without = guard
		}
		without.Intercept, without.Faults = guard.Intercept, shipped.Faults
		c, err := tell(s, without, nil)
		// No law sees two posts of which one was never confirmed, so it must be the same story.
		alike := s.about == "twice" && !c.Differs() && !c.Stuck()
		if err != nil || len(c.ShippedEnd.Broken()) == 0 && !alike {
			t.Errorf("%s without %s: %+v, error %v", s.about, s.guard, c.ShippedEnd, err)
		}
	}
}

func noOtherStory(t *testing.T) {
	for _, name := range []string{"post", "nothing"} {
		if _, err := Compare(name, nil); !errors.Is(err, ErrNoStory) {
			t.Errorf("about %s: %v", name, err)
		}
	}
}

// told is the comparison of a schedule.
func told(t *testing.T, name, schedule string) Comparison {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := c.Parse(schedule)
	if err != nil {
		t.Fatal(err)
	}
	comparison, err := Compare(name, choices)
	if err != nil {
		t.Fatalf("%s %s: %v", name, schedule, err)
	}
	return comparison
}

func mishapsAreTold(t *testing.T) {
	for name, want := range map[string]struct {
		shipped, refused, function string
		differs                    bool
	}{
		"twice":        {"ann,ann:lost,ann2*4", "already exists: insert once!4e9d…", "(*Store).insertPosts", true},
		"lost-message": {"olga*6,network:forgotten", "", "", false},
		"late-copy":    {"olga*12,olga:given-up,olga2*6,w1*18,network:lands", "(not found: merge gate!open!olga.1)", "(*Store).insertPosts", true},
	} {
		c := told(t, name, "")
		if c.ShippedSchedule != want.shipped || c.Differs() != want.differs || !c.Refuses() || c.Site.Function != want.function || !c.ShippedEnd.AtRest {
			t.Errorf("%s: shipped %s, differs %v, guard in %+v, ends %+v", name, c.ShippedSchedule, c.Differs(), c.Site, c.ShippedEnd)
		}
		if !answered(c.Rows[len(c.Rows)-1], want.refused) {
			t.Errorf("%s: the last row is %+v", name, c.Rows[len(c.Rows)-1])
		}
	}
}

func guardsAreCompared(t *testing.T) {
	for _, guard := range Cases(false) {
		if guard.Part != Ablated {
			continue
		}
		c := told(t, guard.Name, "")
		alike := guard.Name == "joined" || guard.Name == "reconcile" // they look elsewhere
		if !c.Refuses() || c.Stuck() || c.Differs() == alike || c.Shipped.Name != guard.Of || c.Guard.Name != guard.Name {
			t.Errorf("%s: refuses %v, the last row is %+v", guard.Name, c.Refuses(), c.Rows[len(c.Rows)-1])
		}
		if !strings.HasPrefix(c.TextbookWhole, strings.TrimRight(c.ShippedSchedule, "0123456789")) {
			t.Errorf("%s: %s became %s", guard.Name, c.TextbookWhole, c.ShippedSchedule)
		}
	}
}

func ownScheduleSaysWhatIsOpen(t *testing.T) {
	c := told(t, "A1", "ann,olga")
	if len(c.Rows) != 2 || c.Differs() || c.Stuck() || c.Refuses() || len(c.TextbookEnd.Broken()) > 0 || len(c.TextbookEnd.Open()) == 0 {
		t.Errorf("%+v", c)
	}
	if c.ShippedSchedule != "ann,olga*6" || c.ShippedWhole != c.ShippedSchedule || c.ShippedEnding != nil || len(c.ShippedEnd.Open()) == 0 {
		t.Errorf("shipped %s, then %v: %+v", c.ShippedSchedule, c.ShippedEnding, c.ShippedEnd)
	}
	c = told(t, "A1", "ann*2,olga*2,w1*6") // nothing is wrong with this one
	if !c.TextbookEnd.AtRest || !c.ShippedEnd.AtRest || c.Refuses() || c.Differs() || len(c.TextbookEnd.Broken())+len(c.ShippedEnd.Broken()) > 0 {
		t.Errorf("%+v", c)
	}
	c = told(t, "A1", "ann,olga*2,w1*3,ann") // the recorded one, unfinished
	if !c.Differs() || c.Refuses() || len(c.TextbookEnd.Broken()) > 0 || !c.ShippedEnd.AtRest {
		t.Errorf("%+v", c)
	}
}

func shippedStopsWhereItCannotFollow(t *testing.T) {
	for _, at := range []struct{ name, schedule, why string }{
		{"lost-message", "olga,olga:lost", "Ours has done this before, and has ended. So nothing can befall this call."},
		{"late-copy", "olga*3,olga:copied", "Ours has done this before"},
		{"late-copy", "olga*4,w1,w1:lost", "Ours makes no such call here. So nothing can befall this call."},
		{"lost-message", "olga,olga:repeated,olga,w1@1,w1*4", "Ours has done this before"}, // it breaks the textbook
	} {
		c := told(t, at.name, at.schedule)
		if last := c.Rows[len(c.Rows)-1]; !c.Stuck() || c.Differs() || !strings.HasPrefix(last.Why, at.why) || c.ShippedEnding != nil || c.Refuses() {
			t.Errorf("%s %s: the last row is %+v, then %v", at.name, at.schedule, last, c.ShippedEnding)
		}
	}
}

// harmlessStepIsNoDifference: what is refused on both sides, or only read, is no reason to stop.
func harmlessStepIsNoDifference(t *testing.T) {
	for _, at := range []struct{ name, schedule, why string }{
		{"A2", "ann", "Ours refuses this as well."},
		{"A2", "w1,w2*2,w1,w2*3,w1", "Ours has ended, and makes no such call."},
		{"A3", "olga,olga:dies-before", "Ours has done this before, and has ended. So a death changes nothing any more."},
	} {
		c := told(t, at.name, at.schedule)
		if last := c.Rows[len(c.Rows)-1]; c.Differs() || c.Stuck() || last.Why != at.why {
			t.Errorf("%s %s: the last row is %+v", at.name, at.schedule, last)
		}
	}
}

func actorDiesInBoth(t *testing.T) {
	c := told(t, "lost-message", "olga*2,w1,w1:dies-after")
	last := c.Rows[len(c.Rows)-1]
	if c.Stuck() || len(last.Shipped) != 1 || last.Shipped[0].Actor != "w1" || last.Shipped[0].Fate != "dies before it" {
		t.Errorf("the last row is %+v", last)
	}
}

// everyPartCanBeTold walks at random through the textbook version. A walk is as long as
// the scenario.
func everyPartCanBeTold(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2))
	for _, s := range stories() {
		c, err := Find(s.about)
		if err != nil {
			t.Fatal(err)
		}
		for range walks {
			walk(t, c, random)
		}
	}
}

const walks = 2

func walk(t *testing.T, c Case, random *rand.Rand) {
	t.Helper()
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	var schedule lab.Schedule
	for {
		moments, err := x.Follow(schedule)
		if err != nil {
			t.Fatal(err)
		}
		if len(schedule) > 0 {
			checkTold(t, told(t, c.Name, c.Format(schedule)), schedule, moments[len(schedule)])
		}
		now := moments[len(schedule)]
		options := now.Network
		for _, a := range now.Actors {
			options = slices.Concat(options, a.Options)
		}
		options = slices.DeleteFunc(slices.Clone(options), func(o lab.Option) bool { return o.Why != "" })
		if len(options) == 0 {
			return
		}
		schedule = append(schedule, options[random.IntN(len(options))].Choice)
	}
}

func checkTold(t *testing.T, c Comparison, schedule lab.Schedule, now lab.Moment) {
	t.Helper()
	whole := c.Textbook.Format(schedule)
	last := c.Rows[len(c.Rows)-1]
	if c.TextbookWhole != whole || len(c.Rows)+len(c.TextbookEnding) != len(schedule) || len(c.TextbookEnding) > 0 && !last.Differs && !last.Stuck {
		t.Errorf("%s %s: %d rows, then %d steps", c.Textbook.Name, whole, len(c.Rows), len(c.TextbookEnding))
	}
	if len(c.ShippedEnd.Broken()) > 0 || (len(c.TextbookEnd.Broken()) > 0) != now.Broken() || c.TextbookEnd.AtRest != now.AtRest || c.Refuses() && !now.Broken() {
		t.Errorf("%s %s: ends %+v and %+v", c.Textbook.Name, whole, c.TextbookEnd, c.ShippedEnd)
	}
	for _, row := range c.Rows {
		if len(row.Shipped) == 0 && row.Why == "" || row.Stuck && (row.Differs || row.Why == "") {
			t.Errorf("%s %s: %+v", c.Textbook.Name, whole, row)
		}
	}
}

func impossibleScheduleIsRefused(t *testing.T) {
	var cause *lab.StuckError
	c, err := Find("A1")
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := c.Parse("ann,w1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare("A1", schedule); !errors.As(err, &cause) || cause.Position != 1 {
		t.Errorf("error %v", err)
	}
}
