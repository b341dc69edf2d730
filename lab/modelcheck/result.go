package modelcheck

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab"
)

// A Result is the result of exploring a case.
type Result struct {
	Case
	lab.Counts
	// Finding is the run that broke an invariant, or nil.
	Finding *lab.Finding
	Took    time.Duration
}

// Explore explores one case. seed is the seed of its random walks, if it has any.
func (c Case) Explore(seed uint64) Result {
	x := lab.NewExplorerOf(c.Scenario, lab.ManySpaces/runtime.GOMAXPROCS(0)) // All explores one case on each
	defer x.Close()
	began := time.Now()
	r := Result{Case: c}
	if c.Walks > 0 {
		r.Finding = x.Walk(c.Walks, seed)
	} else {
		r.Finding = x.Explore()
	}
	r.Counts, r.Took = x.Counts(), time.Since(began)
	return r
}

// OK reports whether the result is the one expected.
func (r Result) OK() bool {
	switch {
	case r.Part == Textbook || r.Part == TextbookFault:
		return r.Finding != nil && slices.ContainsFunc(r.Finding.Violations, func(b domain.Violation) bool { return b.Invariant == r.Invariant() })
	case r.Part == Ablated:
		return r.Finding != nil
	default:
		return r.Finding == nil
	}
}

// WriteSchedule writes the run that broke an invariant as a table, and the command that
// replays it. The result must have a finding.
func (r Result) WriteSchedule(w io.Writer) error {
	schedule := r.Format(r.Finding.Schedule)
	run, err := r.ReplayText(schedule)
	if err != nil {
		return fmt.Errorf("replaying %s: %w", r.Name, err)
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n\n", r.Name, r.Says()); err != nil {
		return err
	}
	if err := r.WriteTable(w, run); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n", r.command(schedule))
	return err
}
