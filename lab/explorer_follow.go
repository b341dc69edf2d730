package lab

import "fmt"

// A StuckError tells which choice of a schedule cannot be taken or read, and why.
type StuckError struct {
	// Position is the index of the choice, from 0. A choice that is written ann*3 counts
	// three times.
	Position int
	// Word is the choice as it was written.
	Word string
	Why  string
}

// Error implements error. It counts choices from 1, as a reader does.
func (e *StuckError) Error() string {
	return fmt.Sprintf("choice %d, %q, cannot be taken: %s", e.Position+1, e.Word, e.Why)
}

// Follow takes a schedule and returns the moment before its first step and the one after
// each step. It does not stop at a broken law: the moment says so, and the run goes on.
// If a choice cannot be taken, the error is a *StuckError, and the moments before it are
// returned.
func (x *Explorer) Follow(schedule Schedule) ([]Moment, error) {
	x.trace()
	at := x.initial()
	laws := x.judge(nil, 0, at, x.scenario.Laws.State(x.view(at)))
	moments := []Moment{x.moment(at, nil, laws)}
	for i, c := range schedule {
		if why := x.refusal(at, c); why != "" {
			return moments, &StuckError{i, x.scenario.formatChoice(c), why}
		}
		to, step := x.perform(at, c)
		breaches := append(x.judgeStep(to, step), x.scenario.Laws.State(x.view(to))...)
		laws = x.judge(laws, i+1, to, breaches)
		moments = append(moments, x.moment(to, &step, laws))
		at = to
	}
	return moments, nil
}

// reach is the state at the end of a schedule.
func (x *Explorer) reach(schedule Schedule) (*state, error) {
	at := x.initial()
	for i, c := range schedule {
		if why := x.refusal(at, c); why != "" {
			return nil, &StuckError{i, x.scenario.formatChoice(c), why}
		}
		at, _ = x.perform(at, c)
	}
	return at, nil
}

// trace makes each call know the line that makes it, from now on. What is known of the
// actors' code without that is forgotten.
func (x *Explorer) trace() {
	if x.lot.traces {
		return
	}
	x.lot.clear()
	x.lot.traces = true
	x.programs, x.twins = nil, nil
}

// Rest lets fresh workers carry on at the end of a schedule. If an actor can still go on
// there, or a request is under way, the error is a *StuckError.
func (x *Explorer) Rest(schedule Schedule) (Outcome, error) {
	at, err := x.reach(schedule)
	if err != nil {
		return Outcome{}, err
	}
	if next := x.choices(at); len(next) > 0 {
		who := x.scenario.formatChoice(next[0])
		return Outcome{}, &StuckError{len(schedule), "rest", "not all is at rest: " + who + " can be taken"}
	}
	return x.scenario.Laws.Rest(x.view(at)), nil
}
