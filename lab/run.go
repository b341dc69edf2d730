package lab

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

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

// Table is a run as a table in Markdown, one line for a step: the actor, its call, the fate and the
// answer. The first token that ann minted is ann.1.
func (s *Scenario) Table(run []Moment) string {
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
	for i, m := range run[1:] {
		w := s.Words(*m.Step)
		for _, told := range w.Told {
			w.Result += "; told: " + told
		}
		row(fmt.Sprint(i+1), w.Actor, w.Call, w.Fate, w.Result)
	}
	_ = table.Flush() // a builder does not fail
	fmt.Fprintln(&b)
	last := run[len(run)-1]
	for _, violated := range last.Violated() {
		fmt.Fprintf(&b, "Then %s.\n", violated.Reason)
	}
	switch {
	case last.Violated() != nil:
	case last.Quiescent():
		fmt.Fprintln(&b, "No invariant is violated.")
	default:
		fmt.Fprintln(&b, "No invariant is violated so far, and the run can go on.")
	}
	return b.String()
}
