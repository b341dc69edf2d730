package lab

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"microblogging/domain"
)

// A Run is a schedule that was taken, with its outcome.
type Run struct {
	Steps      []Step
	Violations []domain.Violation
	// Quiescent reports whether no actor can go on. Then all invariants were checked. Otherwise only
	// the invariants of steps and states were.
	Quiescent bool
}

// Replay takes the schedule's choices. A choice that cannot be taken is a
// *StuckError.
// With complete it is left out instead, and at the end of the schedule the actors
// that still wait go on, one after the other.
func (x *Explorer) Replay(schedule Schedule, complete bool) (Run, error) {
	var run Run
	at := x.initial()
	take := func(c Choice) {
		to, step, violations := x.take(at, c)
		run.Steps, run.Violations, at = append(run.Steps, step), append(run.Violations, violations...), to
	}
	for i, c := range schedule {
		switch {
		case x.allows(at, c):
			take(c)
		case !complete:
			return run, x.stuck(at, i, c)
		}
		if run.Violations != nil {
			return run, nil
		}
	}
	for complete && run.Violations == nil {
		next := x.choices(at)
		if len(next) == 0 {
			break
		}
		take(next[0])
	}
	run.Quiescent = len(x.choices(at)) == 0
	if run.Quiescent && run.Violations == nil {
		run.Violations = x.rest(at)
	}
	return run, nil
}

// GoOn is the schedule, and how an actor goes on after it without faults: until one of its steps is
// what is waited for, or it cannot go on. If the schedule cannot be taken, the error is a *StuckError.
func (x *Explorer) GoOn(schedule Schedule, actor int8, until func(Step) bool) (Schedule, error) {
	at := x.initial()
	for i, c := range schedule {
		if !x.allows(at, c) {
			return nil, x.stuck(at, i, c)
		}
		at, _ = x.perform(at, c)
	}
	schedule = slices.Clone(schedule)
	next := Choice{Actor: actor}
	for len(schedule) < MaxChoices && x.allows(at, next) {
		to, step := x.perform(at, next)
		schedule, at = append(schedule, next), to
		if until(step) {
			break
		}
	}
	return schedule, nil
}

// Schedule is the list of choices that the run took.
func (r Run) Schedule() Schedule {
	schedule := make(Schedule, len(r.Steps))
	for i, step := range r.Steps {
		schedule[i] = step.Choice
	}
	return schedule
}

// Table is a run as a table in Markdown, one line for a step: the actor, its call, the fate and the
// answer. The first token that ann minted is ann.1.
func (s *Scenario) Table(run Run) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	row := func(cells ...string) {
		for _, cell := range cells {
			fmt.Fprint(table, "| "+strings.ReplaceAll(cell, "|", `\|`)+"\t")
		}
		fmt.Fprintln(table, "|")
	}
	row("step", "actor", "call", "fate", "answer")
	row("---", "---", "---", "---", "---")
	for i, step := range run.Steps {
		w := s.Words(step)
		for _, told := range w.Told {
			w.Result += "; told: " + told
		}
		row(fmt.Sprint(i+1), w.Actor, w.Call, w.Fate, w.Result)
	}
	_ = table.Flush() // a builder does not fail
	fmt.Fprintln(&b)
	for _, violation := range run.Violations {
		fmt.Fprintf(&b, "Then %s.\n", s.DescribeViolation(violation))
	}
	switch {
	case run.Violations != nil:
	case run.Quiescent:
		fmt.Fprintln(&b, "No invariant is violated.")
	default:
		fmt.Fprintln(&b, "No invariant is violated so far, and an actor can go on.")
	}
	return b.String()
}
