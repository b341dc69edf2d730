package templates

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
)

// A Deletion is the progress of deleting one incarnation of a channel. A step of an unknown
// name counts as before the first.
type Deletion struct {
	domain.Deletion
	// Lesson is nil unless the workers pause before each step. Its forms post action,
	// worker and step to [DeletionPath]: action=next lets a worker take the step before which
	// it waits, and action=kill kills it; action=again delivers the message again, and
	// action=free ends the pauses.
	Lesson *domain.Lesson
	// Now is when the lesson was read.
	Now time.Time
}

// A deletionStep is one step in words.
type deletionStep struct {
	key  domain.Step
	name string
	why  string
}

func deletionSteps() [5]deletionStep {
	return [5]deletionStep{
		{domain.StepMark, "Pass the point of no return",
			"Your request hides the channel at once. A worker marks it, and no undo comes after that."},
		{domain.StepShut, "Close the gate: no more posts", "A post needs the open gate. It is swapped for a shut one, once and for ever."},
		{domain.StepSweep, "Remove the rows", "Each removal needs the shut gate, so it can only ever hit this channel."},
		{domain.StepDisarm, "Disarm late workers", "The shut gate is deleted. A worker that wakes up late can remove nothing."},
		{domain.StepRelease, "Free the name", "Only now can anyone create the channel again."},
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

// gate is the state of the incarnation's gate, as far as the steps on record tell. A gate never
// goes back, so the latest state that any worker reported holds.
func (v Deletion) gate() GateState {
	shut, steps := v.at() > 1, v.told()
	if v.Lesson != nil { // whose workers pause after what they did, and before it is on record
		for _, w := range v.Lesson.Workers {
			steps = append(steps, domain.StepRecord{Step: w.Last, Result: w.Result})
		}
	}
	for _, s := range steps {
		if s.Result == domain.StepOvertaken || s.Step == domain.StepRelease || s.Step == domain.StepDisarm && s.Result == domain.StepDone {
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

// fenced tells whether the store has refused the sweep of a worker, which came too late.
func fenced(w domain.LessonWorker) bool {
	return w.Last == domain.StepSweep && w.Result == domain.StepOvertaken
}

// told is the trace with each refused sweep. The record of a deletion that is done is final:
// what the store refuses after that stands only in the lesson.
func (v Deletion) told() domain.Trace {
	if v.Lesson == nil {
		return slices.Clip(v.Trace)
	}
	told := slices.Clone(v.Trace)
	for _, w := range v.Lesson.Workers {
		at := slices.IndexFunc(told, func(s domain.StepRecord) bool { return s.Worker == w.Number && s.Step == domain.StepSweep })
		switch {
		case fenced(w) && at < 0:
			told = append(told, domain.StepRecord{Step: w.Last, Worker: w.Number, Delivery: w.Delivery, Result: w.Result})
		case fenced(w):
			told[at].Result = w.Result
		}
	}
	return told
}

// finished is how many steps are done.
func (v Deletion) finished() string { return strconv.Itoa(max(0, v.at())) }

// waiting tells whether the work stands still because the storage does not answer.
func (v Deletion) waiting() bool {
	return !v.WaitingSince.IsZero() && !v.Over() && v.State != domain.DeletionPoisoned
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
	case domain.DeletionPending:
		return "Hidden, and about to be deleted"
	case domain.DeletionUndone:
		return "Undone"
	}
	at := v.at()
	if v.Lesson != nil && v.Lesson.Over == "" && len(v.Lesson.Workers) > 0 {
		return v.lessonHeadline()
	}
	if at < 0 {
		return "A worker has begun"
	}
	return "Step " + strconv.Itoa(at+1) + " of 5: " + deletionSteps()[at].name
}

// Live tells whether the page of a deletion can still change.
func (v Deletion) Live() bool {
	if !v.Over() {
		return true
	}
	if v.State == domain.DeletionUndone || v.Lesson == nil || v.Lesson.Over != "" || len(v.Lesson.Workers) == 0 {
		return false
	}
	settled := 0
	for _, w := range v.Lesson.Workers {
		if w.State == domain.LessonEnded && (w.Result == "done" || w.Result == "overtaken") {
			settled++
		}
	}
	return settled < 1+v.Lesson.Copies
}

// refreshes tells whether a page without scripts reloads itself. It does not while a
// worker waits for somebody to press a button: the button would not hold still.
func (v Deletion) refreshes() bool {
	asks := v.Lesson != nil && v.Lesson.Over == "" && slices.ContainsFunc(v.Lesson.Workers, v.waits)
	return v.Live() && !asks
}

// leaseSlack is how long after the end of its lease a worker that waits is taken for gone:
// its row may be older than its latest renewal.
const leaseSlack = 2 * time.Second

// leaseOver tells whether the lease of a worker has run out. Then one that seems to wait is gone.
func (v Deletion) leaseOver(w domain.LessonWorker) bool {
	if w.State != domain.LessonKilled {
		return v.Now.After(w.LeaseUntil.Add(leaseSlack))
	}
	return v.Now.After(w.LeaseUntil)
}

// waits tells whether the worker waits for an order.
func (v Deletion) waits(w domain.LessonWorker) bool {
	return w.State == domain.LessonWaits && !v.leaseOver(w)
}

// left is how many seconds the worker's lease lasts.
func (v Deletion) left(w domain.LessonWorker) string {
	return strconv.Itoa(max(0, int((w.LeaseUntil.Sub(v.Now)+time.Second-1)/time.Second)))
}

// lessonHeadline says what each worker at work does. If none is, it says what became of the
// latest. The page announces it.
func (v Deletion) lessonHeadline() string {
	var all []string
	for _, w := range v.Lesson.Workers {
		if v.waits(w) || w.State == domain.LessonWorks {
			all = append(all, v.workerHeadline(w))
		}
	}
	if len(all) == 0 {
		all = []string{v.workerHeadline(v.Lesson.Workers[len(v.Lesson.Workers)-1])}
	}
	return "W" + strings.Join(all, "; ")[1:]
}

// workerHeadline says what the worker does. It begins with a small letter.
func (v Deletion) workerHeadline(w domain.LessonWorker) string {
	does := "has ended"
	switch {
	case w.State == domain.LessonWaits && v.leaseOver(w):
		does = "was lost before " + string(w.Step)
	case w.State == domain.LessonWaits:
		does = "waits before " + string(w.Step)
	case w.State == domain.LessonKilled:
		does = "was killed before " + string(w.Step)
	case w.State == domain.LessonWorks:
		does = "is at " + string(w.Step)
	}
	return "worker " + strconv.Itoa(w.Number) + " " + does
}

// stepName says the step in words.
func stepName(s domain.StepRecord) string {
	for _, step := range deletionSteps() {
		if step.key == s.Step {
			return step.name
		}
	}
	switch s.Step {
	case "receive":
		return "A worker takes the message"
	case "several":
		return counted(s.Count, "more step") + " of several workers"
	}
	return ""
}

// Deletions is the list of the deletions that the reader asked for, the newest first.
type Deletions struct {
	Items []domain.Deletion
	Part
}
