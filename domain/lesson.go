package domain

import (
	"slices"
	"time"
)

// A Lesson is a deletion whose workers pause before each step, so that people can watch.
// It is for learning, and changes nothing else: a worker that pauses is a slow worker,
// one that is killed has crashed, and a message that is sent again is a redelivery.
type Lesson struct {
	// Over says why workers do not pause any more; LessonGoesOn while they do.
	Over LessonEnd
	// Copies counts the messages that were sent again.
	Copies int
	// Workers are those that took part, in the order of their numbers. At most
	// MaxLessonWorkers are kept, the latest of those that have ended.
	Workers []LessonWorker
}

// A LessonEnd says why the workers of a lesson do not pause any more.
type LessonEnd string

// The reasons.
const (
	LessonGoesOn LessonEnd = ""
	// LessonFreed: the user wanted no more pauses.
	LessonFreed LessonEnd = "freed"
	// LessonForgotten: nobody pressed anything for LessonPatience.
	LessonForgotten LessonEnd = "forgotten"
	// LessonCrowded: the worker process had too many other lessons.
	LessonCrowded LessonEnd = "crowded"
)

// LessonState is what a worker of a lesson does.
type LessonState string

// The states of a worker.
const (
	// LessonWaits: the worker waits before a step.
	LessonWaits LessonState = "waits"
	// LessonWorks: the worker may take the step.
	LessonWorks LessonState = "works"
	// LessonKilled: the worker abandons its work without a word.
	LessonKilled LessonState = "killed"
	// LessonEnded: the worker has come to its end.
	LessonEnded LessonState = "ended"
)

// A LessonWorker is a handling of a message that pauses.
type LessonWorker struct {
	// Number is that of the trace, as far as the trace has it.
	Number   int         `json:"number"`
	Delivery int64       `json:"delivery"`
	State    LessonState `json:"state"`
	// Step is the step before which the worker waits, or which it may take.
	Step Step `json:"step"`
	// LeaseUntil is when the lease runs out unless it is renewed.
	LeaseUntil time.Time `json:"leaseUntil"`
	// Last and Result are the last step that the worker took, and how it ended; Rows is
	// the number of rows that it has removed.
	Last   Step       `json:"last,omitempty"`
	Result StepResult `json:"result,omitempty"`
	Rows   int64      `json:"rows,omitempty"`
}

const (
	// LessonPatience is how long a worker waits for the user before it goes on without
	// further pauses.
	LessonPatience = 15 * time.Minute
	// MaxLessonWorkers bounds the workers of a Lesson.
	MaxLessonWorkers = 12
	// MaxLessonCopies bounds the copies of the message of one lesson.
	MaxLessonCopies = 8
)

// Worker returns the worker of a number.
func (l Lesson) Worker(number int) (LessonWorker, bool) {
	i := l.find(number)
	if i < 0 {
		return LessonWorker{}, false
	}
	return l.Workers[i], true
}

func (l Lesson) find(number int) int {
	return slices.IndexFunc(l.Workers, func(w LessonWorker) bool { return w.Number == number })
}

// Join adds a worker, and returns its number: the one that it has in the trace, or the
// next if that is 0 or taken. It reports false if there is no room.
func (l *Lesson) Join(w LessonWorker) (number int, ok bool) {
	if w.Number == 0 || l.find(w.Number) >= 0 {
		for _, other := range l.Workers {
			w.Number = max(w.Number, other.Number)
		}
		w.Number++
	}
	l.Workers = append(slices.Clone(l.Workers), w)
	for len(l.Workers) > MaxLessonWorkers {
		past := slices.IndexFunc(l.Workers, func(w LessonWorker) bool { return w.State == LessonEnded || w.State == LessonKilled })
		if past < 0 {
			return 0, false
		}
		l.Workers = slices.Delete(l.Workers, past, past+1)
	}
	return w.Number, true
}

// Set changes the worker of a number. It reports false if that is not there.
func (l *Lesson) Set(number int, change func(*LessonWorker)) bool {
	i := l.find(number)
	if i < 0 {
		return false
	}
	l.Workers = slices.Clone(l.Workers)
	change(&l.Workers[i])
	return true
}

// Order lets a worker that waits before this step take it, or kills it. It reports false
// if the worker does not wait there: then the order was sent twice, or comes too late.
func (l *Lesson) Order(number int, before Step, state LessonState) bool {
	w, ok := l.Worker(number)
	if !ok || w.State != LessonWaits || w.Step != before {
		return false
	}
	return l.Set(number, func(w *LessonWorker) { w.State = state })
}
