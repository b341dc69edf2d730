package lab

import (
	"context"
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A Reach says from which states of a scenario a run can still violate one invariant, and from which every run
// does.
type Reach struct {
	// can has the states from which a run violates the invariant, and well those from which a run ends without.
	can, well map[mem.Sum]bool
	// States is how many states were entered: all of them.
	States int
}

// From reports whether a run that goes on from the moment can violate the invariant.
func (r *Reach) From(m Moment) bool { return r.can[m.key] }

// Must reports whether every run that goes on from the moment violates the invariant.
func (r *Reach) Must(m Moment) bool { return r.can[m.key] && !r.well[m.key] }

// Because is the first step of a run after which it violates the invariant or every way on does: the violation is
// because of that step. It is 0 if there is none, or if every run of the scenario violates the invariant.
func (r *Reach) Because(run []Moment, invariant string) int {
	for n, m := range run {
		violated := slices.ContainsFunc(m.Violated(), func(i InvariantState) bool { return i.Name == invariant })
		if violated || r.Must(m) {
			return n
		}
	}
	return 0
}

// Reach enters every state to find out from which of them the invariant of that name can be violated, and from which
// it must be. It is nil if there are more states than most, or if the context ends before.
func (x *Explorer) Reach(ctx context.Context, invariant string, most int) *Reach {
	if r, whole := x.ReachFrom(ctx, nil, invariant, most); whole {
		return r
	}
	return nil
}

// ReachFrom is Reach of the state that a schedule leads to and of those after it. whole reports whether all of them were
// entered: if not, it knows of some from which the invariant can be violated, and of none from which it cannot.
func (x *Explorer) ReachFrom(ctx context.Context, schedule Schedule, invariant string, most int) (r *Reach, whole bool) {
	at := x.initial()
	for _, c := range schedule {
		at, _ = x.perform(at, c)
	}
	return x.reach(ctx, at, invariant, most, func(mem.Sum, mem.Sum, Step, bool) {})
}

// reach is ReachFrom. It calls see with each step, the states before and after it, and whether the step violates the invariant.
func (x *Explorer) reach(ctx context.Context, start *state, invariant string, most int, see func(from, to mem.Sum, step Step, violated bool)) (r *Reach, whole bool) {
	violates := func(found []domain.Violation) bool {
		return slices.ContainsFunc(found, func(v domain.Violation) bool { return v.Invariant == invariant })
	}
	before := map[mem.Sum][]mem.Sum{x.key(start): nil} // the states that lead to one
	var can, well []mem.Sum
	frontier := []*state{start}
	for ; len(frontier) > 0 && len(before) <= most && ctx.Err() == nil; frontier = frontier[1:] {
		from, key := frontier[0], x.key(frontier[0])
		choices := slices.Clone(x.choices(from))
		switch {
		case violates(x.violated(from)) || idle(choices) && violates(x.rest(from)):
			can = append(can, key)
			continue
		case idle(choices):
			well = append(well, key)
		}
		for _, c := range choices {
			to, step := x.perform(from, c)
			next, violated := x.key(to), violates(x.judgeStep(to, step))
			if see(key, next, step, violated); violated {
				can = append(can, key)
				continue
			}
			if _, known := before[next]; !known {
				frontier = append(frontier, to)
			}
			before[next] = append(before[next], key)
		}
	}
	return &Reach{leading(before, can), leading(before, well), len(before)}, len(frontier) == 0
}

// leading are the states from which a run can get to one of these ends.
func leading(before map[mem.Sum][]mem.Sum, ends []mem.Sum) map[mem.Sum]bool {
	lead := map[mem.Sum]bool{}
	for len(ends) > 0 {
		key := ends[len(ends)-1]
		if ends = ends[:len(ends)-1]; !lead[key] {
			lead[key] = true
			ends = append(ends, before[key]...)
		}
	}
	return lead
}
