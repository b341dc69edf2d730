package lab

import (
	"context"

	"microblogging/lab/mem"
)

// A Graph has all states of a scenario, and the steps that lead from one to another. A run is followed until it violates
// one invariant.
type Graph struct {
	// States come in the order of how many steps lead to them. The first is the start.
	States []GraphState
	Ways   []Way
}

// A GraphState is a state of a Graph.
type GraphState struct {
	// Depth is the number of steps of a shortest run that leads to the state.
	Depth int
	// Can reports whether a run that goes on from the state can violate the invariant, and Well whether one can end
	// without. A state that has neither has not been entered, since the step that leads to it violates the invariant.
	Can, Well bool
}

// A Way leads from one state to another. Both are indexes of Graph.States.
type Way struct {
	From, To int
	Step     Step
}

// Graph enters every state, as Reach does. It is nil if there are more states than most, or if the context ends before.
func (x *Explorer) Graph(ctx context.Context, invariant string, most int) *Graph {
	type place struct {
		key      mem.Sum
		violated bool // by the step that leads to it: without that, it may be another state
	}
	x.trace()
	start := place{key: x.initial().key()}
	g, at, keys := &Graph{States: []GraphState{{}}}, map[place]int{start: 0}, []mem.Sum{start.key}
	reach := x.reach(ctx, invariant, most, func(from, to mem.Sum, step Step, violated bool) {
		n := at[place{key: from}]
		next, known := at[place{to, violated}]
		if !known {
			next = len(keys)
			at[place{to, violated}], keys = next, append(keys, to)
			g.States = append(g.States, GraphState{Depth: g.States[n].Depth + 1, Can: violated})
		}
		g.Ways = append(g.Ways, Way{n, next, step})
	})
	if reach == nil {
		return nil
	}
	for n, key := range keys {
		if s := &g.States[n]; !s.Can { // entered
			s.Can, s.Well = reach.can[key], reach.well[key]
		}
	}
	return g
}
