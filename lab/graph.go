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
	// Can reports whether the state violates the invariant or a run that goes on from it can, and Well whether a run can end
	// without that.
	Can, Well bool
}

// A Way leads from one state to another. Both are indexes of Graph.States.
type Way struct {
	From, To int
	Step     Step
}

// Graph enters every state, as Reach does. It is nil if there are more states than most, or if the context ends before.
func (x *Explorer) Graph(ctx context.Context, invariant string, most int) *Graph {
	x.trace()
	start := x.initial()
	g, at := &Graph{States: []GraphState{{}}}, map[mem.Sum]int{x.key(start): 0}
	reach, whole := x.reach(ctx, start, invariant, most, func(from, to mem.Sum, step Step, violated bool) {
		n, known := at[to]
		if !known {
			n = len(g.States)
			at[to] = n
			g.States = append(g.States, GraphState{Depth: g.States[at[from]].Depth + 1, Can: violated})
		}
		g.Ways = append(g.Ways, Way{at[from], n, step})
	})
	if !whole {
		return nil
	}
	for key, n := range at {
		s := &g.States[n]
		s.Can, s.Well = s.Can || reach.can[key], reach.well[key]
	}
	return g
}
