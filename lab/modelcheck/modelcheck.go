// Package modelcheck explores all scenarios and reports the results. The production code
// must break no invariant in any scenario. The textbook version must break an invariant in each
// of its four scenarios, and so must the production code without any one of its safeguards.
// Three more scenarios of the textbook version must each be broken by one fault.
//
// What was found is kept in known.json ([Known]), for pages that show it. A model checker that explores
// nothing finds nothing, so the file has the number of states of each scenario too, and a search that
// enters another number is a failure.
package modelcheck

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/lab"
)

const (
	// gcPercent makes the garbage collector wait longer, because a search makes much garbage
	// in addition to the states that it keeps: at 100, a third of its time went into collecting.
	gcPercent = 800
	// gcMemory is the memory, in bytes, from which on it waits no longer.
	gcMemory = 4 << 30
)

// All explores the cases, as many at a time as there are processors. It calls done
// with one result after the other, in the order of the cases. Until it returns, the whole
// process takes more memory before garbage is collected.
func All(cases []Case, seed uint64, done func(Result)) Summary {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(gcMemory))
	results, slots := make([]chan Result, len(cases)), make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	go func() {
		for i, c := range cases {
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				results[i] <- c.Explore(seed)
			}()
		}
	}()
	var s Summary
	for _, result := range results {
		r := <-result
		s.Add(r)
		done(r)
	}
	return s
}

// A Result is the result of exploring a case.
type Result struct {
	Case
	lab.Counts
	// Finding is the run that broke an invariant, or nil. Cause is why it did, if Explore has found it.
	Finding *lab.Finding
	Cause   Cause
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
	if r.Finding != nil {
		r.Cause = r.why()
	}
	return r
}

// Try explores a case of a reader's own for as long as the context lasts. whole tells that it was long
// enough. The error says what is wrong with its code, and which schedule shows it.
func (c Case) Try(ctx context.Context) (r Result, whole bool, err error) {
	if c.Wrong != nil {
		if err := c.Wrong(); err != nil {
			return r, false, err
		}
	}
	r = Result{Case: c}
	c.Until = ctx
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	began := time.Now()
	defer func() {
		cause := recover()
		r.Counts, r.Took = x.Counts(), time.Since(began)
		switch cause := cause.(type) {
		case nil:
		case *lab.Failure:
			if cause.Cause != context.Cause(ctx) {
				err = fmt.Errorf("after the schedule %q, %v", c.Format(cause.Schedule), cause.Cause)
			}
		case error:
			if cause != context.Cause(ctx) {
				err = fmt.Errorf("at the start, %w", cause)
			}
		default:
			err = fmt.Errorf("at the start, %v", cause)
		}
	}()
	r.Finding, whole = x.ExploreFor(ctx)
	return r, whole, nil
}

// Holds says that nothing was found, and in how many states. A search by random runs or with bounded preemptions does not
// enter all.
func (r Result) Holds() string {
	if r.Walks > 0 || r.Preemptions > 0 {
		return "No invariant is violated in " + lab.Count(r.States, "state") + "."
	}
	return "No invariant is violated. All " + lab.Count(r.States, "state") + " were searched."
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

// String is one line: the name, how much was explored, the invariant that was broken or else how far the search
// went, and what the case is about. What was not expected begins with an exclamation mark.
func (r Result) String() string {
	outcome := "none, with every order of calls"
	switch {
	case r.Finding != nil:
		outcome = fmt.Sprintf("in %s: %s", lab.Count(len(r.Finding.Schedule), "step"), r.DescribeViolation(r.Finding.Violations[0]))
	case r.Walks > 0:
		outcome = fmt.Sprintf("none, in %d random runs", r.Walks)
	case r.Preemptions > 0:
		outcome = fmt.Sprintf("none, with up to %d preemptions", r.Preemptions)
	}
	sign := " "
	if !r.OK() {
		sign = "!"
	}
	return fmt.Sprintf("%s %-22s %9d steps in %4.1f s  %s (%s)", sign, r.Name, r.Steps, r.Took.Seconds(), outcome, r.Says())
}

// A Summary is the sum of results.
type Summary struct {
	lab.Counts
	// All counts the results of each part, and OK those that are as expected.
	All, OK [TextbookFault + 1]int
	// Shortfalls are the others.
	Shortfalls []Result
}

// Add adds one result.
func (s *Summary) Add(r Result) {
	s.Schedules += r.Schedules
	s.States += r.States
	s.Steps += r.Steps
	s.All[r.Part]++
	if r.OK() {
		s.OK[r.Part]++
	} else {
		s.Shortfalls = append(s.Shortfalls, r)
	}
}

func (s Summary) String() string {
	return fmt.Sprintf("schedules=%d states=%d steps=%d violations=%d textbook=%d/%d ablations=%d/%d textbook-faults=%d/%d",
		s.Schedules, s.States, s.Steps, s.All[Real]-s.OK[Real], s.OK[Textbook], s.All[Textbook],
		s.OK[Ablated], s.All[Ablated], s.OK[TextbookFault], s.All[TextbookFault])
}
