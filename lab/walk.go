package lab

import (
	"math/rand/v2"
	"slices"

	"microblogging/domain"
)

// One choice in faultOdds is a fault, as long as faults are left, and after one in
// stallOdds the actor stalls. A walk has some dozens of steps.
const (
	faultOdds = 12
	stallOdds = 10
)

// Walk takes random runs from start to end until an invariant is violated, and shrinks the
// run that broke it. The seed and the number of a run determine its choices.
func (x *Explorer) Walk(walks int, seed uint64) *Finding {
	for n := range walks {
		schedule, violations := x.walk(newDice(seed, n, len(x.scenario.Actors)))
		x.counts.Schedules++
		if violations != nil {
			return x.Shrink(Finding{schedule, violations})
		}
	}
	return nil
}

func (x *Explorer) walk(d *dice) (Schedule, []domain.Violation) {
	var schedule Schedule
	at := x.initial()
	for {
		choices := x.choices(at)
		if idle(choices) {
			if violations := x.rest(at); violations != nil || len(choices) == 0 {
				return schedule, violations
			}
		}
		c := d.pick(choices)
		to, _, violations := x.take(at, c)
		x.counts.Steps++
		x.enter(to)
		schedule = append(schedule, c)
		if violations != nil {
			return schedule, violations
		}
		at = to
	}
}

// dice choose by priorities, as PCT does (doc.go): the first in a random order who
// can act acts, and sometimes moves to the end of the order. So an actor can stall
// while others finish, which is rare if all choices are equally likely.
type dice struct {
	*rand.Rand
	order []int
}

func newDice(seed uint64, walk, actors int) *dice {
	source := rand.New(rand.NewPCG(seed, uint64(walk)))
	return &dice{source, source.Perm(actors + 1)} // index 0 is the network
}

func (d *dice) pick(choices []Choice) Choice {
	fault := d.IntN(faultOdds) == 0
	for i, next := range d.order {
		var mine []Choice
		for _, c := range choices {
			if max(int(c.Actor), 0) == next && c.Fate.costs() == fault {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		if d.IntN(stallOdds) == 0 {
			d.order = append(slices.Delete(d.order, i, i+1), next)
		}
		return mine[d.IntN(len(mine))]
	}
	return choices[d.IntN(len(choices))]
}

// Shrink looks for a shorter run that breaks the same invariant. It leaves out parts of
// the schedule, larger parts first, as long as the invariant is still broken (delta
// debugging, see doc.go). Actors that still wait at the schedule's end go on without
// faults.
func (x *Explorer) Shrink(best Finding) *Finding {
	for size := len(best.Schedule) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(best.Schedule); {
			run, _ := x.rerun(slices.Concat(best.Schedule[:at], best.Schedule[at+size:]), nil)
			if sameInvariant(run.Violations, best.Violations) && len(run.Schedule) < len(best.Schedule) {
				best = run
			} else {
				at += size
			}
		}
	}
	return &best
}

// rerun takes those choices of a schedule that can be taken, and then goes on without faults until an invariant is
// violated or the system is idle. took is told of each step, with the index of its choice in the schedule, or -1 if it is
// none of them. It may be nil. whole reports whether no choice was left out for want of an interruption alone.
func (x *Explorer) rerun(schedule Schedule, took func(i int, step Step)) (run Finding, whole bool) {
	at := x.initial()
	whole = true
	take := func(i int, c Choice) (violated bool) {
		to, step, violations := x.take(at, c)
		at, run.Violations, run.Schedule = to, violations, append(run.Schedule, c)
		if took != nil {
			took(i, step)
		}
		return len(run.Violations) > 0
	}
	for i, c := range schedule {
		switch {
		case !x.allows(at, c):
			whole = whole && (c.Actor == network || x.whyNotActor(at, int(c.Actor)-1) != uninterrupted)
		case take(i, c):
			return run, whole
		}
	}
	for next, ok := onward(x.choices(at)); ok; next, ok = onward(x.choices(at)) {
		if take(-1, next) {
			return run, whole
		}
	}
	run.Violations = x.rest(at)
	return run, whole
}

func sameInvariant(a, b []domain.Violation) bool {
	return slices.ContainsFunc(a, func(violation domain.Violation) bool {
		return slices.ContainsFunc(b, func(other domain.Violation) bool { return other.Invariant == violation.Invariant })
	})
}
