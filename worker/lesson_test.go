package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestLesson(t *testing.T) {
	t.Run("a worker pauses before each step, and follows an order that is sent twice once", bubble(pausesBeforeEachStep))
	t.Run("a pause is no stall", bubble(pauseIsNoStall))
	t.Run("a worker that is killed says nothing, and another takes over", bubble(killedSaysNothing))
	t.Run("a message that is delivered again brings a second worker, and the first is fenced out", bubble(secondWorkerTakesPart))
	t.Run("one that is forgotten, or whose pauses the user ends, goes on alone", bubble(goesOnAlone))
	t.Run("none, or a worker that does not teach, makes no pause, and costs at most one read", bubble(noLessonDoesNotPause))
	t.Run("a pause keeps no other deletion from its turn", bubble(pauseHoldsNoSlot))
}

// newLesson is a world whose workers teach, and in which the victim's deletion was asked
// for as a lesson.
func newLesson(t *testing.T) *world {
	w := newWorld(t, enoughPosts)
	w.options.Teach = true
	w.options.Lease = 15 * time.Second
	_, err := w.sound.AskLesson(t.Context(), w.victim.Key(), owner, domain.OneOf(w.victim.Incarnation))
	w.ok(err)
	return w
}

func (w *world) lesson() domain.Lesson {
	w.t.Helper()
	l, err := w.sound.Lesson(w.t.Context(), w.victim.Ref())
	w.ok(err)
	return l
}

// waits returns a condition: the worker of this number waits before the step.
func (w *world) waits(number int, step domain.Step) func() bool {
	return func() bool {
		self, ok := w.lesson().Worker(number)
		return ok && self.State == domain.LessonWaits && self.Step == step
	}
}

func (w *world) ended(number int) func() bool {
	return func() bool {
		self, _ := w.lesson().Worker(number)
		return self.State == domain.LessonEnded
	}
}

// order gives a worker an order before the step at which it waits.
func (w *world) order(number int, step domain.Step, state domain.LessonState) {
	w.t.Helper()
	w.until(string(step), w.waits(number, step))
	err := w.sound.UpdateLesson(w.t.Context(), w.victim.Ref(), func(l *domain.Lesson) bool {
		return l.Order(number, step, state)
	})
	w.ok(err)
}

func (w *world) next(number int, steps ...domain.Step) {
	w.t.Helper()
	for _, step := range steps {
		w.order(number, step, domain.LessonWorks)
	}
}

func eachStep() []domain.Step {
	return []domain.Step{domain.StepMark, domain.StepShut, domain.StepSweep, domain.StepDisarm, domain.StepRelease}
}

func pausesBeforeEachStep(t *testing.T) {
	w := newLesson(t)
	defer w.start(w.sound)()
	for _, step := range eachStep() {
		w.until(string(step), w.waits(1, step))

		time.Sleep(time.Minute)
		if !w.waits(1, step)() {
			t.Fatalf("the worker did not wait before %s: %+v", step, w.lesson())
		}
		if step == domain.StepDisarm && w.deletion().RowsDeleted != 3*enoughPosts+2 {
			t.Errorf("after the sweep, %d rows are counted", w.deletion().RowsDeleted)
		}
		w.next(1, step)
		for range 3 {
			late := func(l *domain.Lesson) bool { return l.Order(1, step, domain.LessonKilled) }
			w.ok(w.sound.UpdateLesson(t.Context(), w.victim.Ref(), late))
		}
	}
	w.until("the deletion is done", w.done)
	w.until("the worker has left", w.ended(1))
	w.mustCountEveryRow(enoughPosts)
	w.mustBeDeleted()
	if _, err := w.sound.AskLesson(t.Context(), w.victim.Key(), owner, domain.Any[domain.Incarnation]()); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a lesson of a channel that is gone: %v", err)
	}
}

func pauseIsNoStall(t *testing.T) {
	w := newLesson(t)
	c := newCounted()
	w.hook = c.hook
	defer w.start(w.faulty)()
	w.next(1, domain.StepMark, domain.StepShut)
	w.until("the worker waits", w.waits(1, domain.StepSweep))
	for began := time.Now(); time.Since(began) < domain.LessonPatience-time.Minute; {
		w.mustBeSoundWithin(Patience(w.options.Lease))
		time.Sleep(10 * time.Second)
	}
	if n := c.of("Send " + domain.QueueName); n != 0 || len(w.lesson().Workers) != 1 {
		t.Errorf("%d messages were sent for a deletion that is paused: %+v", n, w.lesson())
	}
	w.next(1, domain.StepSweep, domain.StepDisarm, domain.StepRelease)
	w.until("the deletion is done", w.done)
	w.mustBeDeleted()
}

func killedSaysNothing(t *testing.T) {
	w := newLesson(t)
	var counts atomic.Bool
	var after atomic.Int64
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if counts.Load() && call.Writes() && call.Method != "Receive" && call.Target != "Deletions" {
			after.Add(1)
		}
		return send(ctx)
	}
	defer w.start(w.faulty)()
	w.next(1, domain.StepMark, domain.StepShut, domain.StepSweep)
	w.until("the worker waits", w.waits(1, domain.StepDisarm))
	before := w.deletion()
	w.order(1, domain.StepDisarm, domain.LessonKilled)
	killed := time.Now()
	counts.Store(true)
	time.Sleep(2 * time.Second)
	self, _ := w.lesson().Worker(1)
	if left := self.LeaseUntil.Sub(killed); left <= 0 || left > w.options.Lease {
		t.Errorf("the lease is said to run out in %s", left)
	}
	if now := w.deletion(); now.UpdatedOn.After(killed) || now.Attempts != before.Attempts || after.Load() != 0 {
		t.Errorf("a worker that was killed wrote: %+v, %d more", now, after.Load())
	}
	w.until("another worker has begun", w.waits(2, domain.StepMark))
	if at := time.Now(); at.Before(self.LeaseUntil.Add(-time.Second)) || at.After(self.LeaseUntil.Add(2*time.Second)) {
		t.Errorf("another took over at %s, the lease ran out at %s", at, self.LeaseUntil)
	}
	if second, _ := w.lesson().Worker(2); second.Delivery != 2 {
		t.Errorf("the second worker is %+v", second)
	}
	w.next(2, eachStep()...)
	w.until("the deletion is done", w.done)
	w.mustCountEveryRow(enoughPosts)
	w.mustBeDeleted()
}

func (w *world) again(want bool) {
	w.t.Helper()
	if sent, err := w.sound.DeliverAgain(w.t.Context(), w.deletion()); err != nil || sent != want {
		w.t.Fatalf("delivered again: %t, %v", sent, err)
	}
}

func secondWorkerTakesPart(t *testing.T) {
	w := newLesson(t)
	defer w.start(w.sound)()
	w.next(1, domain.StepMark, domain.StepShut)
	w.until("the first waits", w.waits(1, domain.StepSweep))
	w.again(true)
	w.next(2, eachStep()...)
	w.until("the deletion is done", w.done)
	if !w.waits(1, domain.StepSweep)() {
		t.Fatalf("the first worker does not wait: %+v", w.lesson())
	}
	again := w.create(string(w.victim.Name))
	blog := w.post(again, "first of the new incarnation")
	w.next(1, domain.StepSweep, domain.StepRelease)
	w.until("the first has ended", w.ended(1))
	if self, _ := w.lesson().Worker(1); self.Rows != 0 || self.Last != domain.StepSweep || self.Result != domain.StepOvertaken {
		t.Errorf("a worker that was to be fenced out is %+v", self)
	}
	if _, err := w.sound.Blog(t.Context(), again.Ref(), blog.ID); err != nil {
		t.Errorf("a post of the next incarnation is lost: %v", err)
	}
	w.mustCountEveryRow(enoughPosts)
	w.mustBeSound()
	for range domain.MaxLessonCopies - 1 {
		w.again(true)
	}
	w.again(false)
}

func goesOnAlone(t *testing.T) {
	for why, patience := range map[domain.LessonEnd]time.Duration{domain.LessonForgotten: domain.LessonPatience, domain.LessonFreed: 0} {
		w := newLesson(t)
		stop := w.start(w.sound)
		w.next(1, domain.StepMark)
		w.until("the worker waits", w.waits(1, domain.StepShut))
		began := time.Now()
		if why == domain.LessonFreed {
			w.ok(w.sound.UpdateLesson(t.Context(), w.victim.Ref(), end(why)))
		}
		w.until("the deletion is done", w.done)
		if waited := time.Since(began); (waited-patience).Abs() > time.Second || w.lesson().Over != why {
			t.Errorf("it went on after %s, and the lesson is over because %q", waited, w.lesson().Over)
		}
		w.mustCountEveryRow(enoughPosts)
		w.mustBeDeleted()
		stop()
	}
}

// A worker that does not teach makes 7 calls of Deletions for a deletion that takes less than a
// second: 3 when it begins, 2 after the first rows, and 2 at the end. One that does reads once
// more.
func noLessonDoesNotPause(t *testing.T) {
	for _, test := range []struct {
		teach, lesson bool
		calls         int
	}{{false, true, 7}, {true, false, 8}} {
		var w *world
		if test.lesson {
			w = newLesson(t)
		} else {
			w = newWorld(t, enoughPosts)
			w.mustAsk()
		}
		w.options.Teach = test.teach
		c := newCounted()
		w.hook = c.hook
		began := time.Now()
		w.finishOn(w.faulty)
		if n := c.of("Get Deletions") + c.of("Transact Deletions"); n != test.calls || time.Since(began) > 10*time.Second {
			t.Errorf("%+v: %d calls to Deletions, and it took %s", test, n, time.Since(began))
		}
		w.mustBeDeleted()
	}
}

func pauseHoldsNoSlot(t *testing.T) {
	w := newLesson(t)
	w.options.Concurrency = 1
	other := w.create("Other")
	defer w.start(w.sound)()
	w.until("the worker waits", w.waits(1, domain.StepMark))
	_, err := w.sound.AskDeletion(t.Context(), other.Key(), owner, domain.OneOf(other.Incarnation))
	w.ok(err)
	w.until("another deletion is done", func() bool {
		d, err := w.sound.Deletion(t.Context(), other.Ref(), owner)
		return err == nil && d.State == domain.DeletionDone
	})
	if !w.waits(1, domain.StepMark)() {
		t.Errorf("the worker does not wait any more: %+v", w.lesson())
	}
	w.next(1, eachStep()...)
	w.until("the deletion is done", w.done)
	w.mustBeDeleted()
}
