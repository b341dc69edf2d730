package lab

import "microblogging/domain"

// A Run is a schedule that was taken, with its outcome.
type Run struct {
	Steps    []Step
	Breaches []domain.Breach
	// AtRest tells that no actor can go on, so all laws were checked. Otherwise only
	// the laws of steps and states were.
	AtRest bool
}

// Replay takes the schedule's choices. A choice that cannot be taken is a
// *StuckError.
// With complete it is left out instead, and at the end of the schedule the actors
// that still wait go on, one after the other.
func (x *Explorer) Replay(schedule Schedule, complete bool) (Run, error) {
	var run Run
	at := x.initial()
	take := func(c Choice) {
		to, step := x.perform(at, c)
		run.Steps = append(run.Steps, step)
		run.Breaches = append(run.Breaches, x.judgeStep(to, step)...)
		run.Breaches = append(run.Breaches, x.scenario.Laws.State(x.view(to))...)
		at = to
	}
	for i, c := range schedule {
		switch {
		case x.allows(at, c):
			take(c)
		case !complete:
			return run, &StuckError{i, x.scenario.formatChoice(c), x.refusal(at, c)}
		}
		if run.Breaches != nil {
			return run, nil
		}
	}
	for complete && run.Breaches == nil {
		next := x.choices(at)
		if len(next) == 0 {
			break
		}
		take(next[0])
	}
	run.AtRest = len(x.choices(at)) == 0
	if run.AtRest && run.Breaches == nil {
		run.Breaches = x.rest(at)
	}
	return run, nil
}

// Schedule is the list of choices that the run took.
func (r Run) Schedule() Schedule {
	schedule := make(Schedule, len(r.Steps))
	for i, step := range r.Steps {
		schedule[i] = step.Choice
	}
	return schedule
}
