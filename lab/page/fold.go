package page

import (
	"cmp"
	"slices"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A weighing is what each step of a run weighs, and whether its actor made the one before too. The
// first is that of the start, and is not used.
type weighing struct {
	weights []int
	goesOn  []bool
}

// parts groups the steps so that there are no more lines than so many. What moves nothing is folded first, and of
// that the longest; what weighs most stays.
func (w weighing) parts(most int) (parts [][2]int) {
	for level := -1; level <= weighsMuch+1; level++ {
		runs := w.light(level)
		slices.SortStableFunc(runs, func(a, b [2]int) int { return (b[1] - b[0]) - (a[1] - a[0]) })
		lines := len(w.weights) - 1
		for i, run := range runs {
			if lines <= most {
				runs = runs[:i]
				break
			}
			lines -= run[1] - run[0]
		}
		parts = nil
		for n := 1; n < len(w.weights); n++ {
			part := [2]int{n, n}
			if at := slices.IndexFunc(runs, func(run [2]int) bool { return run[0] == n }); at >= 0 {
				part = runs[at]
			}
			parts, n = append(parts, part), part[1]
		}
		if lines <= most {
			break
		}
	}
	return parts
}

// light are the longest runs of steps of one actor that weigh so little. At last they may be of
// several.
func (w weighing) light(level int) (runs [][2]int) {
	open := false // the last run may go on
	for n := 1; n < len(w.weights); n++ {
		light := w.weights[n] <= min(level, weighsMuch)
		switch {
		case light && open && (level > weighsMuch || w.goesOn[n]):
			runs[len(runs)-1][1] = n
		case light:
			runs = append(runs, [2]int{n, n})
		}
		open = light
	}
	return runs
}

// with is what both runs weigh, step by step.
func (w weighing) with(other weighing) weighing {
	if len(w.weights) < len(other.weights) {
		w, other = other, w
	}
	for n := range other.weights {
		w.weights[n], w.goesOn[n] = max(w.weights[n], other.weights[n]), w.goesOn[n] && other.goesOn[n]
	}
	return w
}

// What a step weighs.
const (
	weighsNothing = iota
	weighsLittle  // it has changed rows
	weighsMuch    // an actor was told something, received a message, or was refused
	weighsMost    // a fault, a violated invariant or its cause, or the present: it is never folded
)

func (v *scene) weigh() weighing {
	w := weighing{make([]int, len(v.moments)), make([]bool, len(v.moments))}
	for n := 1; n < len(v.moments); n++ {
		m := v.moments[n]
		step := m.Step
		w.goesOn[n] = n > 1 && step.Sender == v.moments[n-1].Step.Sender
		switch {
		case n == v.at, n == v.made, n == v.decisive, step.Choice.Fate != lab.Arrives, v.brokenAfter(n) != nil:
			w.weights[n] = weighsMost
		case step.Applied != nil && step.Applied.Err != nil, step.Call.Method == driver.CallReceive, len(v.Words(*step).Told) > 0:
			w.weights[n] = weighsMuch
		case step.Changes() != nil:
			w.weights[n] = weighsLittle
		}
	}
	return w
}

// cause is the step that made it possible that an invariant is violated later: the one that is refused with
// the safeguard, or the removal that goes by it if it is a read; or else a late call that landed, the first removal of a row
// that the safeguard requires, the latest fault, what another actor has changed in between, or the call that is another one with
// the safeguard. A change of a deletion's record comes last. It is 0 if there is none.
func (v *scene) cause() int {
	worst, broken := v.worst()
	if !broken || worst.Since == 0 {
		return 0
	}
	if v.refused > 0 && v.refused < worst.Since {
		if on := v.deleting(v.refused); on > 0 && on < worst.Since {
			return on
		}
		return v.refused
	}
	required, fault, changed, other, recorded := 0, 0, 0, 0, 0
	for n := worst.Since - 1; n > 0; n-- {
		step := v.moments[n].Step
		switch fate := step.Choice.Fate; {
		case fate == lab.Lands:
			return n
		case slices.ContainsFunc(step.Changes(), func(c mem.Change) bool { return c.After.ETag == "" && requires(v.instead, step.Call.Target, c.Before) }):
			required = n // the first
		case fate != lab.Arrives:
			fault = max(fault, n)
		case step.Changes() != nil && step.Call.Target == schema.TableDeletions && step.Changes()[0].Before.ETag != "" && step.Changes()[0].After.ETag != "":
			recorded = max(recorded, n)
		case step.Sender != v.moments[worst.Since].Step.Sender && step.Changes() != nil:
			changed = max(changed, n)
		case n == v.decisive:
			other = n
		}
	}
	return cmp.Or(required, fault, changed, other, recorded)
}

// requires reports whether a call fails if a row is not there. The call may be nil.
func requires(c *lab.Call, target string, row driver.Entity) bool {
	return c != nil && c.Target == target && c.Partition == row.Partition && slices.ContainsFunc(c.Operations, func(op driver.Operation) bool {
		return op.Row == row.Row && op.Action != driver.ActionInsert && !op.If.AllowsAbsent()
	})
}

// deleting is the next step in which an actor changes rows that has read at step n, if it deletes one. It is 0 otherwise.
func (v *scene) deleting(n int) int {
	read := v.moments[n].Step
	for next := n + 1; next < len(v.moments) && isRead(read.Call); next++ {
		step := v.moments[next].Step
		switch changes := step.Changes(); {
		case step.Sender != read.Sender || changes == nil:
		case changes[0].After.ETag == "":
			return next
		default:
			return 0
		}
	}
	return 0
}
