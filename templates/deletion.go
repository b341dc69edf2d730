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
	// Lesson is nil unless the workers pause before each step.
	Lesson *Lesson
}

// A deletionStep is one step in words.
type deletionStep struct {
	key  domain.Step
	name string
	why  string
}

func deletionSteps() [5]deletionStep {
	return [5]deletionStep{
		{"mark", "Make sure that the channel is hidden",
			"Your request hides it at once. A worker makes sure, in case the request died before that."},
		{"shut", "Close the gate: no more posts", "A post needs the open gate. It is swapped for a shut one, once and for ever."},
		{"sweep", "Remove the rows", "Each removal needs the shut gate, so it can only ever hit this channel."},
		{"disarm", "Disarm late workers", "The shut gate is deleted. A worker that wakes up late can remove nothing."},
		{"release", "Free the name", "Only now can anyone create the channel again."},
	}
}

// The states of a step. Screen readers read them out, and they are CSS classes.
const (
	stepDone    = "done"
	stepCurrent = "current"
	stepAhead   = "ahead"
)

// at is the index of the current step: -1 before the first, 5 after the last.
func (v Deletion) at() int {
	steps := deletionSteps()
	if v.State == domain.DeletionDone {
		return len(steps)
	}
	return slices.IndexFunc(steps[:], func(s deletionStep) bool { return s.key == v.Step })
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

// finished is how many steps are done.
func (v Deletion) finished() string { return strconv.Itoa(max(0, v.at())) }

// waiting tells whether the work stands still because the storage does not answer.
func (v Deletion) waiting() bool {
	return !v.WaitingSince.IsZero() && v.State != domain.DeletionDone && v.State != domain.DeletionPoisoned
}

// headline says in a few words how far the deletion has come. The page announces
// each change of it to screen readers.
func (v Deletion) headline() string {
	if v.waiting() {
		return "Waiting for the storage since " + v.WaitingSince.UTC().Format("2 January 2006, 15:04 UTC")
	}
	switch v.State {
	case domain.DeletionDone:
		return "Deleted"
	case domain.DeletionPoisoned:
		return "Stopped after " + counted(v.Attempts, "failed attempt")
	case domain.DeletionQueued:
		return "Waiting for a worker"
	}
	at := v.at()
	if v.Lesson != nil && v.Lesson.Over == "" && len(v.Lesson.Workers) > 0 {
		return v.Lesson.headline()
	}
	if at < 0 {
		return "A worker has begun"
	}
	return "Step " + strconv.Itoa(at+1) + " of 5: " + deletionSteps()[at].name
}

// explanation says what the headline means for the person who waits.
func (v Deletion) explanation() string {
	if v.waiting() {
		return "The storage does not answer. A worker tries again about once a minute until it does, " +
			"and then the work goes on where it stopped. Readers do not see the channel."
	}
	switch v.State {
	case domain.DeletionDone:
		return "It took " + span(v.FinishedOn.Sub(v.RequestedOn)) + ". The name is free again."
	case domain.DeletionPoisoned:
		return "The channel stays hidden and nothing is lost, but the work waits for an operator. " +
			"Once the cause is fixed, this command puts it back on the queue, and it goes on where it stopped:"
	case domain.DeletionQueued:
		if v.Step == "" {
			return "Your request is safe on the queue. Readers no longer see the channel once a worker takes it up, and usually before."
		}
		return "Readers no longer see the channel. Your request is safe on the queue until a worker takes it up."
	}
	return "Readers no longer see the channel. You may close this page: the work goes on without it."
}
