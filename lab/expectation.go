package lab

import (
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// An Expectation is one invariant of a protocol about which nothing but its states is judged.
type Expectation struct {
	Invariant
	// Always says what is wrong in a state, and Quiescent what is once no actor can go on and Recover is
	// done. Either is empty if all is well, and may be nil.
	Always, Quiescent func(View) string
	// Ends reports whether a Recover that comes to no end breaks it. Then no other is judged.
	Ends bool
}

// Expectations are the Invariants of such a protocol.
type Expectations struct {
	Expected []Expectation
	// Recover lets a new process go on when no actor can. It is called until it has no error and changes
	// nothing. All leases have ended before. It may be nil.
	Recover func(*mem.DB) Deed
}

// mostRecoveries is how often Recover is called before it counts as one that comes to no end.
const mostRecoveries = 16

// List implements Invariants.
func (e Expectations) List() []Invariant {
	list := make([]Invariant, len(e.Expected))
	for i, expected := range e.Expected {
		list[i] = expected.Invariant
	}
	return list
}

// Recalls implements Invariants: no process keeps pages here.
func (Expectations) Recalls(Kind) bool { return false }

// Step finds nothing: these invariants are about states.
func (Expectations) Step([]Fact, *Call, []mem.Change) []domain.Violation { return nil }

// State implements Invariants.
func (e Expectations) State(v View) []domain.Violation {
	return e.broken(v, func(expected Expectation) func(View) string { return expected.Always })
}

func (e Expectations) broken(v View, judge func(Expectation) func(View) string) (violations []domain.Violation) {
	for _, expected := range e.Expected {
		if wrong := judge(expected); wrong != nil && wrong(v) != "" {
			violations = append(violations, domain.Violation{Invariant: expected.Name, Detail: wrong(v)})
		}
	}
	return violations
}

// Rest implements Invariants.
func (e Expectations) Rest(v View) Outcome {
	left := mem.Open(v.DB, "rest.")
	outcome := Outcome{Unfinished: e.Recover != nil}
	var last error
	for n := 0; outcome.Unfinished && n < mostRecoveries; n++ {
		before := left.EndLeases(domain.QueueName).Sum()
		deed := e.Recover(left)
		if outcome.Unfinished = deed.Err != nil || left.Snapshot().Sum() != before; outcome.Unfinished {
			outcome.Deeds, last = append(outcome.Deeds, deed), deed.Err
		}
	}
	outcome.DB = left.Snapshot()
	at := slices.IndexFunc(e.Expected, func(expected Expectation) bool { return expected.Ends })
	if outcome.Unfinished && at >= 0 {
		detail := fmt.Sprintf("Recover still changes the store when it runs for time %d", mostRecoveries)
		if last != nil {
			detail = fmt.Sprintf("Recover still returns an error when it runs for time %d: %v", mostRecoveries, last)
		}
		outcome.Violations = []domain.Violation{{Invariant: e.Expected[at].Name, Detail: detail}}
		return outcome
	}
	v.DB = outcome.DB
	outcome.Violations = append(e.State(v), e.broken(v, func(expected Expectation) func(View) string { return expected.Quiescent })...)
	return outcome
}
