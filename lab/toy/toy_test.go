package toy_test

import (
	"slices"
	"strings"
	"testing"

	"microblogging/lab/toy"
)

// A row of the table says what a clause comes to.
type row struct {
	clause string
	states int
	// run are the calls of the shortest run that breaks the protocol, a few words of each. It is nil if the clause holds.
	run          []string
	did, because int
}

func TestLevels(t *testing.T) {
	t.Run("each clause holds or fails as the table says, in as many states, by that shortest run", tableIsRight)
	t.Run("where a clause holds, the run that breaks the protocol without one has a step that it refuses", clauseRefuses)
	t.Run("a condition that takes its row away says so, unless the write does", conditionSaysWhatGoes)
	t.Run("the rows of a figure are those of its level, and each call has a sentence", figureIsWhole)
}

// table counts fewer states than a checker that keeps what an actor knew after its end, and one step less where an actor has
// nothing to delete, which is no call. Where the network may copy requests, each copy that may come is another state.
func table() [][]row {
	checked := []string{"ann Look", "w Mark", "w List", "ann Insert", "w Delete the channel"}
	taken := []string{"ann Take", "ann Read", "bob Take", "bob Read", "bob Save", "ann Save"}
	slept := []string{"w1 Look", "w1 List", "w1 Delete what", "w1 Delete shut", "w2 Look", "w1 Free", "nora Create", "nora Post", "w2 List", "w2 Delete what"}
	return [][]row{
		{
			{"none", 17, checked, 4, 3},
			{"exists", 20, checked, 4, 3},
			{"version", 15, nil, 4, 0},
		},
		{
			{"none", 35, taken, 6, 5},
			{"exists", 39, taken, 6, 5},
			{"page", 37, []string{"ann Take", "bob Take", "bob Read", "bob Save", "ann Read", "ann Save"}, 6, 4},
			{"version", 31, nil, 6, 0},
		},
		{
			{"none", 128, []string{"ann Read the channel", "ann Read its gate", "w Delete gate 1", "w List", "ann Insert", "w Free"}, 5, 4},
			{"any", 293, []string{"ann Read the channel", "ann Read its gate", "w Delete gate 1", "w List", "w Free", "nora Create", "nora Put", "ann Insert"}, 8, 7},
			{"version", 127, []string{"ann Read the channel", "ann Read its gate", "otto Read the channel", "otto Read its gate", "ann Insert", "otto Insert"}, 6, 5},
			{"gate", 377, nil, 5, 0},
		},
		{
			{"none", 131, slept, 10, 8},
			{"exists", 131, slept, 10, 8},
			{"version", 131, slept, 10, 8},
			{"gate", 146, nil, 10, 0},
		},
		{
			{"none", 136, []string{"olga Reserve", "olga Read", "olga Put up gate 1, and a copy", "w Delete gate 1", "w List", "w Free", "network A copy arrives: put up", "olga Post"}, 7, 4},
			{"exists", 168, []string{"olga Reserve, and a copy", "olga Read", "olga Put up gate 1, and a copy", "w Delete gate 1", "w List", "w Free",
				"network A copy arrives: reserve", "network A copy arrives: put up", "olga Post"}, 8, 7},
			{"version", 157, nil, 7, 0},
			{"gate", 10, []string{"olga Reserve", "olga Read", "olga Put up gate 1"}, 3, 0},
		},
	}
}

func tableIsRight(t *testing.T) {
	for i, l := range toy.Levels() {
		rows := table()[i]
		for _, c := range l.Clauses {
			at := slices.IndexFunc(rows, func(r row) bool { return r.clause == c.Name })
			if at < 0 != (c.Not != "") {
				t.Errorf("%s, %s: is it offered?", l.Title, c.Name)
			}
			if at < 0 {
				continue
			}
			want, v := rows[at], l.Check(c.Name)
			if v.States != want.states || v.Did != want.did || v.Because != want.because || (v.Violated == "") != (want.run == nil) {
				t.Errorf("%s, %s: %d states, %q, %d because of %d, want %+v", l.Title, c.Name, v.States, v.Violated, v.Did, v.Because, want)
			}
			if want.run != nil && !slices.EqualFunc(v.Run, want.run, func(s toy.Step, words string) bool { return strings.HasPrefix(s.Actor+" "+s.Call, words) }) {
				t.Errorf("%s, %s: %+v", l.Title, c.Name, v.Run)
			}
		}
	}
}

func clauseRefuses(t *testing.T) {
	for _, l := range toy.Levels() {
		broken := l.Check(toy.None)
		for _, c := range l.Clauses {
			if c.Not != "" {
				continue
			}
			v := l.Check(c.Name)
			if v.Violated != "" {
				continue
			}
			if !v.Refused || len(v.Run) > len(broken.Run) || !strings.HasPrefix(v.Run[v.Did-1].Answer, "refused") || broken.Run[v.Did-1].Answer != "ok" {
				t.Errorf("%s, %s: step %d of %+v", l.Title, c.Name, v.Did, v.Run)
			}
		}
	}
}

func conditionSaysWhatGoes(t *testing.T) {
	taken := 0
	for _, l := range toy.Levels() {
		for _, c := range l.Clauses {
			if c.Not != "" || strings.HasPrefix(l.Write, "Delete") {
				continue
			}
			for _, step := range l.Check(c.Name).Run {
				for _, name := range step.Before {
					if step.Answer == "ok" && strings.HasPrefix(step.Call, l.Write) && strings.HasPrefix(c.Code, name) && !slices.Contains(step.After, name) {
						if taken++; !strings.HasSuffix(c.Code, ", and delete it") {
							t.Errorf("%s, %s: the write takes %q away: %q", l.Title, c.Name, name, c.Code)
						}
					}
				}
			}
		}
	}
	if taken == 0 {
		t.Error("no write has taken the row of its condition away")
	}
}

func figureIsWhole(t *testing.T) {
	for _, l := range toy.Levels() {
		for _, step := range l.Check(toy.None).Run {
			for _, name := range append(slices.Concat(step.Before, step.After), step.Row) {
				if !slices.Contains(l.Rows, name) {
					t.Errorf("%s: %q is no row of %q", l.Title, name, l.Rows)
				}
			}
			if step.Call == "" || step.Answer == "" {
				t.Errorf("%s: %+v", l.Title, step)
			}
		}
	}
}
