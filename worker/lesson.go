package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
)

// lessonStore is the part of the store that lessons are kept in.
type lessonStore interface {
	Lesson(ctx context.Context, ref domain.ChannelRef) (domain.Lesson, error)
	UpdateLesson(ctx context.Context, ref domain.ChannelRef, change func(*domain.Lesson) bool) error
}

const (
	// lessonPoll is how often a worker that pauses looks for an order.
	lessonPoll = 250 * time.Millisecond
	// maxLessons is how many handlings of one process may pause at once. They have no
	// slots, so that other deletions go on.
	maxLessons = 16
	// leaveTime bounds the call that says that a worker has left its lesson.
	leaveTime = 5 * time.Second
)

// errKilled ends the work of a worker that was killed in a lesson. Nothing is concluded
// then: the lease runs out, as if the process had died.
var errKilled = errors.New("killed in a lesson")

// A lesson makes one handling pause before each step, until the user lets it go on or
// kills it. It adds nothing to the protocol: what the pauses write is the row of the
// lesson, and signs of life in the Deletions row.
type lesson struct {
	job *job
	// number is that of this worker in the row of the lesson.
	number int
	// written is the end of the lease as the row has it.
	written time.Time
	// over means that there are no more pauses.
	over bool
	// killed means that the row says so already.
	killed bool
}

// beginLesson makes the handling pause if the worker teaches and the deletion is a lesson.
func (j *job) beginLesson(ctx context.Context) error {
	if !j.worker.Teach || j.held == nil {
		return nil
	}
	ref := j.message.Ref()
	known, err := j.worker.store.Lesson(ctx, ref)
	switch {
	case errors.Is(err, domain.ErrNotFound), err == nil && known.Over != domain.LessonGoesOn:
		return nil
	case err != nil:
		return err
	case j.worker.lessons.Add(1) > maxLessons:
		j.worker.lessons.Add(-1)
		return j.worker.store.UpdateLesson(ctx, ref, end(domain.LessonCrowded))
	}
	l := &lesson{job: j, written: *j.held.ends.Load()}
	if err := l.join(ctx); err != nil {
		j.worker.lessons.Add(-1)
		return err
	}
	j.lesson = l
	return nil
}

// end returns a change after which the workers do not pause any more.
func end(why domain.LessonEnd) func(*domain.Lesson) bool {
	return func(l *domain.Lesson) bool {
		if l.Over != domain.LessonGoesOn {
			return false
		}
		l.Over = why
		return true
	}
}

// join adds this worker to the row of the lesson. If there is no room, it does not pause.
func (l *lesson) join(ctx context.Context) error {
	return l.job.worker.store.UpdateLesson(ctx, l.job.message.Ref(), func(row *domain.Lesson) bool {
		number, ok := row.Join(domain.LessonWorker{
			Number: l.job.progress.number(), Delivery: l.job.leased.Deliveries,
			State: domain.LessonWorks, Step: domain.StepReceive, LeaseUntil: l.written,
		})
		l.number, l.over = number, !ok
		return ok
	})
}

// pause waits before a step until the user lets this worker take it. It goes on without
// further pauses if the user wants that, or does nothing for domain.LessonPatience.
func (l *lesson) pause(ctx context.Context, step domain.Step) error {
	if l == nil || l.over {
		return nil
	}
	// All rows are recorded first: a worker that is killed records nothing more.
	if err := l.job.progress.record(ctx, running); err != nil {
		return err
	}
	if err := l.tell(ctx, func(w *domain.LessonWorker) { w.State, w.Step = domain.LessonWaits, step }); err != nil {
		return err
	}
	l.job.free()
	forgotten := time.NewTimer(domain.LessonPatience)
	defer forgotten.Stop()
	poll := time.NewTicker(lessonPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.job.stop:
			return errStopping
		case <-forgotten.C:
			l.over = true
			return l.job.worker.store.UpdateLesson(ctx, l.job.message.Ref(), end(domain.LessonForgotten))
		case <-poll.C:
			if goOn, err := l.look(ctx); goOn || err != nil {
				return err
			}
		}
	}
}

// look reads what the user wants, and reports whether the worker may go on. While it may
// not, the end of the lease is told, and the deletion is given a sign of life each time the
// lease was renewed: one that is paused is no stall.
func (l *lesson) look(ctx context.Context) (goOn bool, err error) {
	row, err := l.job.worker.store.Lesson(ctx, l.job.message.Ref())
	if errors.Is(err, domain.ErrUnavailable) {
		return false, nil // the next look asks again
	}
	if err != nil {
		return false, err
	}
	self, ok := row.Worker(l.number)
	switch {
	case self.State == domain.LessonKilled:
		l.killed = true
		return false, errKilled
	case !ok, row.Over != domain.LessonGoesOn:
		l.over = true
		return true, nil
	case self.State == domain.LessonWorks:
		return true, nil
	case l.job.held.ends.Load().Equal(l.written):
		return false, nil
	}
	err = errors.Join(l.tell(ctx, func(*domain.LessonWorker) {}), l.job.progress.record(ctx, running))
	if errors.Is(err, domain.ErrUnavailable) {
		return false, nil
	}
	return false, err
}

// tell changes this worker's part of the row, and puts in what is known of its lease and
// of its last step.
func (l *lesson) tell(ctx context.Context, change func(*domain.LessonWorker)) error {
	ends := *l.job.held.ends.Load()
	err := l.job.worker.store.UpdateLesson(ctx, l.job.message.Ref(), func(row *domain.Lesson) bool {
		return row.Set(l.number, func(w *domain.LessonWorker) {
			w.LeaseUntil = ends
			w.Last, w.Result, w.Rows = l.job.progress.last()
			if w.State != domain.LessonKilled {
				change(w)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("pausing: %w", err)
	}
	l.written = ends
	return nil
}

// leave is called when the handling has ended. Of a worker that was killed, it tells only
// when the lease ends, if that was renewed just before: this is for those who watch, and
// no other worker reads it.
func (l *lesson) leave(ctx context.Context) {
	l.job.worker.lessons.Add(-1)
	if l.killed && l.job.held.ends.Load().Equal(l.written) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := l.tell(ctx, func(w *domain.LessonWorker) { w.State = domain.LessonEnded }); err != nil {
		l.job.worker.Log.WarnContext(ctx, "lesson not left", "channel", l.job.message.Channel, "error", err)
	}
}
