package lab

import (
	"context"
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A Reach says from which states of a scenario a run can still violate one invariant.
type Reach struct {
	can map[mem.Sum]bool
	// States is how many states were entered: all of them.
	States int
}

// From reports whether a run that goes on from the moment can violate the invariant.
func (r *Reach) From(m Moment) bool { return r.can[m.key] }

// Reach enters every state to find out from which of them the invariant of that name can be violated. It
// is nil if there are more states than most, or if the context ends before.
func (x *Explorer) Reach(ctx context.Context, invariant string, most int) *Reach {
	violates := func(found []domain.Violation) bool {
		return slices.ContainsFunc(found, func(v domain.Violation) bool { return v.Invariant == invariant })
	}
	start := x.initial()
	before := map[mem.Sum][]mem.Sum{start.key(): nil} // the states that lead to one
	var can []mem.Sum
	for frontier := []*state{start}; len(frontier) > 0; frontier = frontier[1:] {
		if len(before) > most || ctx.Err() != nil {
			return nil
		}
		from, key := frontier[0], frontier[0].key()
		choices := slices.Clone(x.choices(from))
		if violates(x.scenario.Invariants.State(x.view(from))) || len(choices) == 0 && violates(x.rest(from)) {
			can = append(can, key)
			continue
		}
		for _, c := range choices {
			to, step := x.perform(from, c)
			if violates(x.judgeStep(to, step)) {
				can = append(can, key)
				continue
			}
			next := to.key()
			if _, known := before[next]; !known {
				frontier = append(frontier, to)
			}
			before[next] = append(before[next], key)
		}
	}
	r := &Reach{map[mem.Sum]bool{}, len(before)}
	for len(can) > 0 {
		key := can[len(can)-1]
		if can = can[:len(can)-1]; !r.can[key] {
			r.can[key] = true
			can = append(can, before[key]...)
		}
	}
	return r
}
