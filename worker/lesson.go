package worker

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
)

const (
	// lessonPoll is how often a worker that pauses looks for an order.
	lessonPoll = 250 * time.Millisecond
	// maxLessons is how many handlings of one process may pause at once. They have no
	// slots, so that other deletions go on.
	maxLessons = 16
)

// errKilled ends the work of a worker that was killed in a lesson.
var errKilled = errors.New("killed in a lesson")

// A lesson makes one handling pause before each step, until the user lets it go on or
// kills it. It is put around the steps and adds nothing to the protocol: what the pauses write
// is the row of the lesson, and signs of life in the Deletions row.
type lesson struct {
	*job
	inner watch
	// number is that of this worker in the row of the lesson.
	number int
	// last and result are the last step that this worker took, and how it ended. A step that
	// found that another worker is further stays.
	last   domain.Step
	result domain.StepResult
	// written is the end of the lease as the row has it.
	written time.Time
	// over means that there are no more pauses.
	over bool
}

// teach returns what is to be put around the steps, and a function to call in the end. That is
// inner, and nothing to do, unless the worker teaches and the deletion is a lesson.
func (j *job) teach(ctx context.Context, inner watch) (around watch, leave func(), err error) {
	none := func() {}
	if !j.worker.Teach || j.held == nil {
		return inner, none, nil
	}
	ref := j.message.Ref()
	known, err := j.worker.store.Lesson(ctx, ref)
	switch {
	case errors.Is(err, domain.ErrNotFound), err == nil && known.Over != domain.LessonGoesOn:
		return inner, none, nil
	case err != nil:
		return nil, nil, err
	case j.worker.lessons.Add(1) > maxLessons:
		j.worker.lessons.Add(-1)
		return inner, none, j.worker.store.UpdateLesson(ctx, ref, end(domain.LessonCrowded))
	}
	l := &lesson{job: j, inner: inner, last: domain.StepReceive, result: domain.StepDone}
	if err := l.join(ctx); err != nil {
		j.worker.lessons.Add(-1)
		return nil, nil, err
	}
	return l.watch, func() { l.leave(context.WithoutCancel(ctx)) }, nil
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

// update changes the row of the lesson.
func (l *lesson) update(ctx context.Context, change func(*domain.Lesson) bool) error {
	return l.worker.store.UpdateLesson(ctx, l.message.Ref(), change)
}

// join adds this worker to the row of the lesson. If there is no room, it does not pause.
func (l *lesson) join(ctx context.Context) error {
	l.written = l.leaseEnds()
	return l.update(ctx, func(row *domain.Lesson) bool {
		number, ok := row.Join(domain.LessonWorker{
			Number: l.progress.worker, Delivery: l.leased.Deliveries,
			State: domain.LessonWorks, Step: domain.StepReceive, LeaseUntil: l.written,
		})
		l.number, l.over = number, !ok
		return ok
	})
}

func (l *lesson) leaseEnds() time.Time { return domain.Storable(*l.held.ends.Load()) }

// watch pauses before a step, takes it, and notes how it ended.
func (l *lesson) watch(ctx context.Context, name domain.Step, take func(context.Context) (bool, error)) (bool, error) {
	if !l.over {
		if err := l.pause(ctx, name); err != nil {
			l.result = stepResult(ctx, false, err)
			return false, err
		}
	}
	more, err := l.inner(ctx, name, take)
	if l.result != domain.StepOvertaken {
		l.last, l.result = name, stepResult(ctx, more, err)
	}
	return more, err
}

// pause waits before a step until the user lets this worker take it. It goes on without
// further pauses if the user wants that, or does nothing for domain.LessonPatience.
func (l *lesson) pause(ctx context.Context, step domain.Step) error {
	// All rows are recorded first: a worker that is killed records nothing more.
	if err := l.progress.record(ctx, running); err != nil {
		return err
	}
	if err := l.tell(ctx, func(w *domain.LessonWorker) { w.State, w.Step = domain.LessonWaits, step }); err != nil {
		return err
	}
	l.free()
	poll := time.NewTicker(lessonPoll)
	defer poll.Stop()
	for began := time.Now(); time.Since(began) < domain.LessonPatience; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.stop:
			return errStopping
		case <-poll.C:
			if goOn, err := l.look(ctx); goOn || err != nil {
				return err
			}
		}
	}
	l.over = true
	return l.update(ctx, end(domain.LessonForgotten))
}

// look reads what the user wants, and reports whether the worker may go on. If the store does
// not answer, the next look asks again.
func (l *lesson) look(ctx context.Context) (goOn bool, err error) {
	row, err := l.worker.store.Lesson(ctx, l.message.Ref())
	if err == nil {
		self, ok := row.Worker(l.number)
		switch {
		case self.State == domain.LessonKilled:
			return false, errKilled
		case !ok, row.Over != domain.LessonGoesOn:
			l.over = true
			return true, nil
		case self.State == domain.LessonWorks:
			return true, nil
		}
		err = l.live(ctx)
	}
	if errors.Is(err, domain.ErrUnavailable) {
		err = nil
	}
	return false, err
}

// live gives a sign of life each time the lease was renewed: a deletion that is paused is no
// stall.
func (l *lesson) live(ctx context.Context) error {
	if l.leaseEnds().Equal(l.written) {
		return nil
	}
	return errors.Join(l.tell(ctx, func(*domain.LessonWorker) {}), l.progress.record(ctx, running))
}

// tell changes this worker's part of the row, and puts in what is known of its lease and
// of its last step.
func (l *lesson) tell(ctx context.Context, change func(*domain.LessonWorker)) error {
	ends := l.leaseEnds()
	err := l.update(ctx, func(row *domain.Lesson) bool {
		return row.Set(l.number, func(w *domain.LessonWorker) {
			w.LeaseUntil = ends
			w.Last, w.Result, w.Rows = l.last, l.result, l.rows.Load()
			if w.State != domain.LessonKilled {
				change(w)
			}
		})
	})
	if err == nil {
		l.written = ends
	}
	return err
}

// leave is called when the work has ended. Of a worker that was killed, it tells only when the
// lease ends: this is for those who watch, and no other worker reads it.
func (l *lesson) leave(ctx context.Context) {
	l.worker.lessons.Add(-1)
	err := within(ctx, func(ctx context.Context) error {
		return l.tell(ctx, func(w *domain.LessonWorker) { w.State = domain.LessonEnded })
	})
	if err != nil {
		l.worker.Log.WarnContext(ctx, "lesson not left", "channel", l.message.Channel, "error", err)
	}
}
