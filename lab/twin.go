package lab

import (
	"context"
	"slices"

	"microblogging/storage/driver"
)

// A Twin is a run that differs as little as possible from one that violates an invariant, and in which all invariants
// hold.
type Twin struct {
	Schedule Schedule
	// Moved is the step of the other run whose call takes effect before the step Before here. Both are 0 if the order is
	// the same.
	Moved, Before int
	// Fault is the step of the other run whose fault does not happen here. It is 0 if a call is earlier.
	Fault int
}

// Twin looks for the twin of a run whose last step violates an invariant: of the runs in which one write, with what its actor
// does in between, takes effect before another actor's step, the one that parts from it last; or else the last of the faults
// without which all invariants hold; or else the same with a read in the place of the write. It is nil if there is none.
// whole reports whether all of them were tried before the context ended.
func (x *Explorer) Twin(ctx context.Context, schedule Schedule) (twin *Twin, whole bool) {
	steps := make([]Step, len(schedule))
	x.rerun(schedule, func(i int, step Step) {
		if i >= 0 {
			steps[i] = step
		}
	})
	for _, look := range []func() *Twin{
		func() *Twin { return x.earlier(ctx, steps, true) },
		func() *Twin { return x.without(ctx, steps) },
		func() *Twin { return x.earlier(ctx, steps, false) },
	} {
		if twin := look(); twin != nil {
			return twin, true
		}
	}
	return nil, ctx.Err() == nil
}

// earlier is the run in which one call, which writes or does not, takes effect before a step of another actor: the last
// step for which there is such a run, so that the two part as late as they can.
func (x *Explorer) earlier(ctx context.Context, steps []Step, writes bool) *Twin {
	for k := len(steps) - 2; k >= 0; k-- {
		for j := k + 1; j < len(steps) && ctx.Err() == nil; j++ {
			if (steps[j].changes != nil) != writes || steps[k].Choice.Actor == steps[j].Choice.Actor {
				continue
			}
			if run := x.before(steps, j, k); run != nil {
				return &Twin{Schedule: run, Moved: j + 1, Before: k + 1}
			}
		}
	}
	return nil
}

// before is the run in which the call of step j, and what its actor does after step k, comes before step k. It is nil if
// the call does not take effect there, if an invariant is violated, or if there are not as many interruptions.
func (x *Explorer) before(steps []Step, j, k int) Schedule {
	var mine, others Schedule
	for _, step := range steps[k : j+1] {
		if step.Choice.Actor == steps[j].Choice.Actor {
			mine = append(mine, step.Choice)
		} else {
			others = append(others, step.Choice)
		}
	}
	effect := false
	run, whole := x.rerun(slices.Concat(choicesOf(steps[:k]), mine, others, choicesOf(steps[j+1:])), func(i int, step Step) {
		effect = effect || i == k+len(mine)-1 && sameEffect(step, steps[j])
	})
	if !effect || !whole || run.Violations != nil {
		return nil
	}
	return run.Schedule
}

// without is the run without the last fault without which all invariants hold.
func (x *Explorer) without(ctx context.Context, steps []Step) *Twin {
	for n := len(steps) - 1; n >= 0 && ctx.Err() == nil; n-- {
		schedule := choicesOf(steps)
		switch fate := schedule[n].Fate; {
		case !fate.costs():
			continue
		case fate == Forgotten:
			schedule = slices.Delete(schedule, n, n+1)
		default:
			schedule[n].Fate = Arrives
		}
		if run, whole := x.rerun(schedule, nil); whole && run.Violations == nil {
			return &Twin{Schedule: run.Schedule, Fault: n + 1}
		}
	}
	return nil
}

func choicesOf(steps []Step) (schedule Schedule) {
	for _, step := range steps {
		schedule = append(schedule, step.Choice)
	}
	return schedule
}

// sameEffect reports whether two steps read, or change rows, by the same request, perhaps in other versions.
func sameEffect(a, b Step) bool {
	return a.Call != nil && b.Call != nil && (a.changes == nil) == (b.changes == nil) && a.Call.Method == b.Call.Method &&
		a.Call.Target == b.Call.Target && a.Call.Partition == b.Call.Partition && a.Call.Row == b.Call.Row && a.Call.From == b.Call.From &&
		slices.EqualFunc(a.Call.Operations, b.Call.Operations, func(a, b driver.Operation) bool { return a.Action == b.Action && a.Row == b.Row })
}
