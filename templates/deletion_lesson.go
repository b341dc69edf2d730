package templates

import (
	"math"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
)

// A Lesson is a deletion whose workers pause before each step. Its forms post action,
// worker and step to [DeletionPath]: action=next lets a worker take the step before which it
// waits, and action=kill kills it; action=again delivers the message again, and
// action=free ends the pauses.
type Lesson struct {
	domain.Lesson
	Workers []LessonWorker
}

// A LessonWorker is a worker that pauses before each step. Its LeaseUntil is zero unless it
// was killed.
type LessonWorker struct {
	domain.LessonWorker
	// LeaseOver: the lease has run out. So a worker that seems to wait is gone.
	LeaseOver bool
}

// Live tells whether the page of a deletion can still change.
func (v Deletion) Live() bool {
	if v.State != domain.DeletionDone {
		return true
	}
	if v.Lesson == nil || v.Lesson.Over != "" || len(v.Lesson.Workers) == 0 {
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
	if v.Lesson != nil && v.Lesson.Over == "" {
		for _, w := range v.Lesson.Workers {
			if w.waits() {
				return false
			}
		}
	}
	return v.Live()
}

// waits tells whether the worker waits for an order.
func (w LessonWorker) waits() bool { return w.State == domain.LessonWaits && !w.LeaseOver }

// step is the worker's step in words.
func (w LessonWorker) step() string { return stepName(domain.StepRecord{Step: w.Step}) }

// left is how many seconds the lease lasts.
func (w LessonWorker) left(now time.Time) int {
	return max(0, int(math.Ceil(w.LeaseUntil.Sub(now).Seconds())))
}

func (w LessonWorker) id(action string) string { return action + "-" + strconv.Itoa(w.Number) }

// end says how the worker came to its end.
func (w LessonWorker) end() string {
	switch w.Result {
	case "overtaken":
		switch w.Last {
		case "mark":
			return "It found that this channel is gone, had nothing to do, and settled its message."
		case "shut":
			return "It found that both gates are gone: another worker was further. It settled its message."
		}
		return "It was fenced out: the shut gate is gone, so the store refused its sweep. It settled its message."
	case "failed":
		return "It failed. The message is tried again."
	case "waiting":
		return "The storage did not answer. The message is tried again."
	case "stopped":
		return "Its process stopped, and gave the message back."
	case "lost":
		return "It lost its lease."
	}
	return "It came to the end, removed " + rowCount(w.Rows) + ", and settled its message."
}

// over says why the workers do not pause any more.
func (l Lesson) over() string {
	switch l.Over {
	case "forgotten":
		return "Nobody pressed anything for 15 minutes, so the worker went on without further pauses."
	case "crowded":
		return "Many other lessons are going on, so the worker did not pause."
	}
	return "You let the workers go on without further pauses."
}

// headline says what each worker at work does. If none is, it says what became of the
// latest. The page announces it.
func (l Lesson) headline() string {
	var all []string
	for _, w := range l.Workers {
		if w.waits() || w.State == domain.LessonWorks {
			all = append(all, w.headline())
		}
	}
	if len(all) == 0 {
		all = []string{l.Workers[len(l.Workers)-1].headline()}
	}
	return "W" + strings.Join(all, "; ")[1:]
}

// headline says what the worker does. It begins with a small letter.
func (w LessonWorker) headline() string {
	who := "worker " + strconv.Itoa(w.Number)
	switch w.State {
	case domain.LessonWaits:
		if w.LeaseOver {
			return who + " was lost before " + string(w.Step)
		}
		return who + " waits before " + string(w.Step)
	case domain.LessonKilled:
		return who + " was killed before " + string(w.Step)
	case domain.LessonWorks:
		return who + " is at " + string(w.Step)
	}
	return who + " has ended"
}
