package modelcheck

import (
	"context"

	"microblogging/lab"
)

// mostCause is how many states a search enters to record because of which step a run breaks an invariant.
const mostCause = 60_000

// A Cause is why a run breaks an invariant, as far as a search has found it.
type Cause struct {
	// Because is the step because of which it does (lab.Reach.Because). It is 0 if there is none, and if Searched is 0.
	Because int `json:"because,omitempty"`
	// Searched is the number of states of the scenario: all were searched. It is 0 if there are too many.
	Searched int `json:"searched,omitempty"`
	// Twin is the schedule of the twin (lab.Twin), with what differs in it. They are empty if none was found.
	Twin   string `json:"twin,omitempty"`
	Moved  int    `json:"moved,omitempty"`
	Before int    `json:"before,omitempty"`
	Fault  int    `json:"fault,omitempty"`
}

// TwinOf is the part of a Cause that is about the twin of a run, whose last step breaks an invariant. whole reports
// whether the context lasted long enough to know.
func (c Case) TwinOf(ctx context.Context, schedule lab.Schedule) (cause Cause, whole bool) {
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	twin, whole := x.Twin(ctx, schedule)
	if twin == nil {
		return Cause{}, whole
	}
	return Cause{Twin: c.Format(twin.Schedule), Moved: twin.Moved, Before: twin.Before, Fault: twin.Fault}, whole
}

// why is the cause of the finding.
func (r Result) why() Cause {
	cause, _ := r.TwinOf(context.Background(), r.Finding.Schedule)
	x := lab.NewExplorer(r.Scenario)
	defer x.Close()
	if reach := x.Reach(context.Background(), r.broken(), mostCause); reach != nil {
		run, _ := x.Follow(r.Finding.Schedule, false) // it was taken before
		cause.Because, cause.Searched = reach.Because(run, r.broken()), reach.States
	}
	return cause
}
