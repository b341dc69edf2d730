package lab_test

import (
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/lab/modelcheck"
)

func TestGraph(t *testing.T) {
	t.Run("has each state once, and says what a search says of it", graphAgrees)
	t.Run("ends where a step violates the invariant", graphOfSteps)
	t.Run("is nothing if there are more states than asked for", graphOfTooMany)
}

// runsOf is a shortest run to each state of a graph.
func runsOf(g *lab.Graph) []lab.Schedule {
	runs := make([]lab.Schedule, len(g.States))
	for _, way := range g.Ways { // breadth first
		if way.To > 0 && runs[way.To] == nil {
			runs[way.To] = append(append(lab.Schedule{}, runs[way.From]...), way.Step.Choice)
		}
	}
	return runs
}

func graphAgrees(t *testing.T) {
	for name, want := range map[string][4]int{"A1": {5, 6, 23, 1}, "A3": {0, 2, 3, 1}, "lost-message": {16, 7, 27, 4}} {
		c, err := modelcheck.Find(name)
		ok(t, err)
		invariant := c.Invariant()
		reach, g := explorer(t, c.Scenario).Reach(t.Context(), invariant, 60), explorer(t, c.Scenario).Graph(t.Context(), invariant, 60)
		var counts [4]int // of the states from which every way violates it, both can happen, and none does, and that do
		for n, run := range runsOf(g) {
			moments, err := explorer(t, c.Scenario).Follow(run, false)
			ok(t, err)
			s, m := g.States[n], moments[len(moments)-1]
			violated := m.Violated() != nil
			if s.Depth != len(run) || s.Can != reach.From(m) || s.Can && !s.Well != reach.Must(m) {
				t.Errorf("%s: %q leads to %+v, and a search says %v, %v", name, c.Format(run), s, reach.From(m), reach.Must(m))
			}
			switch {
			case violated:
				counts[3]++
			case !s.Can:
				counts[2]++
			case s.Well:
				counts[1]++
			default:
				counts[0]++
			}
		}
		if counts != want || len(g.States) != reach.States {
			t.Errorf("%s has %v, want %v; %d states, and a search has entered %d", name, counts, want, len(g.States), reach.States)
		}
	}
}

// noDeletion is violated by a step that deletes a row.
type noDeletion struct{ lab.Invariants }

func (noDeletion) State(lab.View) []domain.Violation { return nil }

func (noDeletion) Rest(lab.View) lab.Outcome { return lab.Outcome{} }

func (noDeletion) Step(_ []lab.Fact, _ *lab.Call, changes []mem.Change) []domain.Violation {
	if len(changes) > 0 && changes[0].After.ETag == "" {
		return []domain.Violation{{Invariant: "A1"}}
	}
	return nil
}

func graphOfSteps(t *testing.T) {
	c, err := modelcheck.Find("A1")
	ok(t, err)
	c.Invariants = noDeletion{c.Invariants}
	reach, g := explorer(t, c.Scenario).Reach(t.Context(), "A1", 60), explorer(t, c.Scenario).Graph(t.Context(), "A1", 60)
	violated := 0
	for n, s := range g.States {
		by := slices.DeleteFunc(slices.Clone(g.Ways), func(w lab.Way) bool { return w.To != n })
		if len(by) == 0 || by[0].Step.Changes() == nil || by[0].Step.Changes()[0].After.ETag != "" {
			continue
		}
		violated++
		if s != (lab.GraphState{Depth: s.Depth, Can: true}) || slices.ContainsFunc(g.Ways, func(w lab.Way) bool { return w.From == n }) {
			t.Errorf("state %d is %+v, or a run goes on from it", n, s)
		}
	}
	if violated == 0 || len(g.States) != reach.States+violated {
		t.Errorf("%d states, of which %d violate it, and a search has entered %d", len(g.States), violated, reach.States)
	}
}

func graphOfTooMany(t *testing.T) {
	c, err := modelcheck.Find("A1")
	ok(t, err)
	if explorer(t, c.Scenario).Graph(t.Context(), "A1", 34) != nil {
		t.Error("it is there")
	}
}
