package templates

import (
	"slices"
	"strconv"

	"microblogging/domain"
)

// A Deletion is the progress of deleting one incarnation of a channel. A step of an unknown
// name counts as before the first.
type Deletion struct {
	domain.Deletion
	// By is the reader.
	By domain.Actor
}

// A deletionStep is one step in words.
type deletionStep struct {
	key  domain.Step
	name string
	why  string
}

func deletionSteps() []deletionStep {
	return []deletionStep{
		{domain.StepPivot, "Pass the point of no return",
			"Your request hides the channel immediately. This step makes the deletion final: it can no longer be undone."},
		{domain.StepShut, "Close the gate: no more posts", "A post needs the open gate. It is replaced by a shut one, and never comes back."},
		{domain.StepSweep, "Remove the rows", "Each removal needs the shut gate, so it can only ever hit this channel."},
		{domain.StepRemoveGate, "Remove the gate", "The shut gate is deleted. A worker that wakes up late can remove nothing."},
		{domain.StepRelease, "Free the name", "Only now can anyone create the channel again."},
	}
}

// The states of a step. Screen readers read them out, and they are CSS classes.
const (
	stepDone    = "done"
	stepCurrent = "current"
	stepAhead   = "ahead"
)

// at is the index of the furthest step that any worker has begun: -1 before the first, 5 after the
// last. A worker that takes the deletion up again repeats the steps before it, which change nothing.
func (v Deletion) at() int {
	if v.State == domain.DeletionDone {
		return len(deletionSteps())
	}
	at := stepIndex(v.Step)
	for _, s := range v.StepLog {
		at = max(at, stepIndex(s.Step))
	}
	return at
}

func stepIndex(step domain.Step) int {
	return slices.IndexFunc(deletionSteps(), func(s deletionStep) bool { return s.key == step })
}

func (v Deletion) stepState(i int) string {
	switch at := v.at(); {
	case i < at:
		return stepDone
	case i == at:
		return stepCurrent
	}
	return stepAhead
}

// gate is the state of the incarnation's gate, as far as the steps on record tell. A gate never
// goes back, so the latest state that any worker reported holds.
func (v Deletion) gate() GateState {
	shut := v.at() > 1
	for _, s := range v.StepLog {
		if s.Result == domain.StepOvertaken || s.Step == domain.StepRelease || s.Step == domain.StepRemoveGate && s.Result == domain.StepDone {
			return GateGone
		}
		shut = shut || s.Step == domain.StepShut && s.Result == domain.StepDone
	}
	switch {
	case v.at() > 3:
		return GateGone
	case shut:
		return GateShut
	}
	return GateOpen
}

// finished is how many steps are done.
func (v Deletion) finished() string { return strconv.Itoa(max(0, v.at())) }

// oneWorker reports whether one worker did all steps, from one delivery of the message.
func (v Deletion) oneWorker() bool {
	return !slices.ContainsFunc(v.StepLog, func(s domain.StepRecord) bool {
		return s.Worker != v.StepLog[0].Worker || s.Delivery != v.StepLog[0].Delivery
	})
}

// rows leads to the rows behind the name while they are this channel's. Later, another may have the name.
func (v Deletion) rows() string {
	if v.State == domain.DeletionDone {
		return ""
	}
	return ChannelRowsPath(v.Name)
}

// waiting reports whether the work waits because the storage does not answer.
func (v Deletion) waiting() bool {
	return !v.WaitingSince.IsZero() && !v.Over() && v.State != domain.DeletionPoisoned
}

// took is how long a deletion that is done took, without the time to undo it.
func (v Deletion) took() string {
	if v.UndoableUntil.After(v.RequestedOn) {
		return brief(v.FinishedOn.Sub(v.UndoableUntil))
	}
	return brief(v.FinishedOn.Sub(v.RequestedOn))
}

// state says what becomes of the channel, after its name. The page reads out each change of it to screen readers.
func (v Deletion) state() string {
	switch {
	case v.State == domain.DeletionDone:
		return "is deleted"
	case v.State == domain.DeletionPending:
		return "is about to be deleted"
	case v.State == domain.DeletionUndone:
		return "is back"
	case v.State == domain.DeletionPoisoned:
		return "is not deleted yet"
	case v.State == domain.DeletionQueued, v.waiting():
		return "waits to be deleted"
	}
	return "is being deleted"
}

// headline is the state of a deletion in a list.
func (v Deletion) headline() string {
	if v.waiting() {
		return "Waiting since " + v.WaitingSince.UTC().Format(instantLayout)
	}
	switch v.State {
	case domain.DeletionDone:
		return "Deleted"
	case domain.DeletionPoisoned:
		return "Stopped"
	case domain.DeletionQueued:
		return "Waiting for its turn"
	case domain.DeletionPending:
		return "Hidden, and about to be deleted"
	case domain.DeletionUndone:
		return "Undone"
	}
	return "Being deleted"
}

// listed reports whether the reader's list of deletions has this one.
func (v Deletion) listed() bool { return v.RequestedBy == v.By.User }

// asker is who asked for the deletion, as its reader says it.
func (v Deletion) asker() string {
	switch {
	case v.ByOperator == v.By.User && v.By.Operator, v.ByOperator == "" && v.RequestedBy == v.By.User:
		return "You"
	case v.ByOperator != "":
		return "An operator"
	}
	return "Its owner"
}

// undoer is who can undo it.
func (v Deletion) undoer() string {
	switch {
	case v.UndoableBy(v.By):
		return "You"
	case v.ByOperator != "":
		return "Only an operator"
	}
	return "Only its owner"
}

// stopped says after what a poisoned deletion has stopped.
func (v Deletion) stopped() string {
	if v.Attempts == 0 { // an attempt that kills its worker counts none
		return "Stopped after many deliveries without progress"
	}
	return "Stopped after " + counted(v.Attempts, "failed attempt")
}

// stepName says the step in words.
func stepName(s domain.StepRecord) string {
	if at := stepIndex(s.Step); at >= 0 {
		return deletionSteps()[at].name
	}
	if s.Step == domain.StepReceive {
		return "A worker takes the message"
	}
	return ""
}

// Deletions is the list of the deletions that the reader asked for, the newest first.
type Deletions struct {
	Items []domain.Deletion
	Part
}
