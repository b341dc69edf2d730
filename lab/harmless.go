package lab

import "slices"

// Harmless is the nearest step before step j of a schedule, of another actor, such that all invariants hold when the call of
// step j comes right before it, with what its actor does in between. Of two late requests, each counts as an actor of its own. Steps
// count from 1. It is 0 if there is none.
func (x *Explorer) Harmless(schedule Schedule, j int) int {
	var steps []Step
	at := x.initial()
	for _, c := range schedule {
		var step Step
		at, step, _ = x.take(at, c)
		steps = append(steps, step)
	}
	actor := steps[j-1].Choice.Actor
	for k := j - 1; k > 0; k-- {
		if actor != network && steps[k-1].Choice.Actor == actor {
			continue
		}
		var mine, others []Step
		for i, step := range steps[k-1 : j] {
			if step.Choice.Actor == actor && (actor != network || k+i == j) {
				mine = append(mine, step)
			} else {
				others = append(others, step)
			}
		}
		if x.holds(slices.Concat(steps[:k-1], mine, others, steps[j:])) {
			return k
		}
	}
	return 0
}

// holds reports whether all invariants hold in the run that takes these steps, as far as they can be taken, and then goes on
// without faults to its end. A request that lands is known by its call, because its index depends on the order.
func (x *Explorer) holds(steps []Step) bool {
	at := x.initial()
	take := func(c Choice) bool {
		to, _, violations := x.take(at, c)
		at = to
		return violations == nil
	}
	for _, step := range steps {
		c := step.Choice
		if c.Fate == Lands {
			c.Arg = uint8(slices.IndexFunc(at.late, func(late delayedCall) bool { return late.at == step.at })) // none is not allowed
		}
		if x.allows(at, c) && !take(c) {
			return false
		}
	}
	for next, ok := onward(x.choices(at)); ok; next, ok = onward(x.choices(at)) {
		if !take(next) {
			return false
		}
	}
	return x.rest(at) == nil
}
