// Package prove explores everything that there is to explore and says what came
// of it: what ships breaks no law in any scenario; the textbook version breaks
// one in each of four; and so does what ships once any guard is taken out of it.
//
// An explorer that explores nothing finds nothing. So the numbers are part of
// the claim, and a [Summary] that falls below its floor is a failure.
package prove

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/textbook"
)

// Part says which of three parts a scenario belongs to.
type Part int

// The parts.
const (
	// Real scenarios must break no law.
	Real Part = iota
	// Textbook scenarios must show the anomaly that they are named after.
	Textbook
	// Ablated scenarios must break some law.
	Ablated
)

// A Case is one scenario and what is expected of it.
type Case struct {
	Part
	lab.Scenario
	// Guard is what an ablation took out.
	Guard string
}

// Cases are all there are. quick leaves out the slow ones, and of the others most
// faults and walks.
func Cases(quick bool) []Case {
	var cases []Case
	for _, s := range lab.Scenarios() {
		if quick && s.Slow {
			continue
		}
		if quick {
			s.Walks /= quickWalks
			s.Faults = min(s.Faults, quickFaults)
		}
		cases = append(cases, Case{Part: Real, Scenario: s})
	}
	for _, s := range textbook.Scenarios() {
		cases = append(cases, Case{Part: Textbook, Scenario: s})
	}
	for _, a := range lab.Ablations() {
		cases = append(cases, Case{Part: Ablated, Scenario: a.Scenario, Guard: a.Guard})
	}
	return cases
}

const (
	quickWalks  = 20
	quickFaults = 1
)

// Find is the case of this name.
func Find(name string) (Case, bool) {
	cases := Cases(false)
	at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if at < 0 {
		return Case{}, false
	}
	return cases[at], true
}

// A Result is what came of a case.
type Result struct {
	Case
	lab.Counts
	// Finding is the law that was broken and how, or nil.
	Finding *lab.Finding
	Took    time.Duration
}

// Explore explores one case, by random walks from this seed if it is too large.
func (c Case) Explore(seed uint64) Result {
	x := lab.NewExplorer(c.Scenario)
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

// OK tells whether the result is what was expected.
func (r Result) OK() bool {
	switch {
	case r.Part == Textbook:
		return r.Finding != nil && slices.ContainsFunc(r.Finding.Breaches, func(b domain.Breach) bool { return b.Invariant == r.Name })
	case r.Part == Ablated:
		return r.Finding != nil
	default:
		return r.Finding == nil
	}
}

// WriteSchedule writes the run that broke a law as a table, and how to run it.
func (r Result) WriteSchedule(w io.Writer) error {
	x := lab.NewExplorer(r.Scenario)
	defer x.Close()
	run, err := x.Replay(r.Finding.Schedule, false)
	if err != nil {
		return fmt.Errorf("replaying %s: %w", r.Name, err)
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n\n", r.Name, r.about()); err != nil {
		return err
	}
	if err := r.WriteTable(w, run); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := writeCommand(w, r.Name, r.Format(r.Finding.Schedule)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}

func (r Result) about() string {
	if r.Part == Ablated {
		return "without this guard: " + r.Guard
	}
	return r.About
}

// A Summary adds up.
type Summary struct {
	lab.Counts
	Violations            int
	Textbook, TextbookAll int
	Ablated, AblatedAll   int
	// Shortfalls are the results that are not what was expected.
	Shortfalls []Result
}

// Add adds one result.
func (s *Summary) Add(r Result) {
	s.Counts = s.Counts.Plus(r.Counts)
	one := 1
	if !r.OK() {
		s.Shortfalls = append(s.Shortfalls, r)
		one = 0
	}
	switch r.Part {
	case Real:
		s.Violations += 1 - one
	case Textbook:
		s.Textbook += one
		s.TextbookAll++
	case Ablated:
		s.Ablated += one
		s.AblatedAll++
	}
}

func (s Summary) String() string {
	return fmt.Sprintf("schedules=%d states=%d steps=%d violations=%d textbook=%d/%d ablations=%d/%d",
		s.Schedules, s.States, s.Steps, s.Violations, s.Textbook, s.TextbookAll, s.Ablated, s.AblatedAll)
}

// All explores the cases, as many at a time as there are processors, and calls
// done with each result, one at a time and in the order of the cases.
func All(cases []Case, seed uint64, done func(Result)) Summary {
	results := make([]chan Result, len(cases))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] <- cases[i].Explore(seed)
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range cases {
			next <- i
		}
	})
	var s Summary
	for _, result := range results {
		r := <-result
		s.Add(r)
		done(r)
	}
	workers.Wait()
	return s
}
