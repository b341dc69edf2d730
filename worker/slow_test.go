package worker

import (
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestSlow(t *testing.T) {
	t.Run("a slow worker waits before each step, which is no stall", bubble(slowWaitsBeforeEachStep))
	t.Run("a stop ends the wait, and gives the message back", bubble(stopEndsWait))
}

// A wait is longer here than a deletion may show no progress.
func slowWaitsBeforeEachStep(t *testing.T) {
	w := newWorld(t, enoughPosts)
	w.options.Slow, w.options.Lease = time.Minute, 5*time.Second
	c := newCounted()
	w.hook = c.hook
	w.mustAsk()
	began := time.Now()
	defer w.start(w.faulty)()
	for i, step := range []domain.Step{domain.StepPivot, domain.StepShut, domain.StepSweep, domain.StepRemoveGate, domain.StepRelease} {
		w.until(string(step), func() bool { return w.deletion().Step == step })
		for range 11 {
			time.Sleep(w.options.Lease)
			if d := w.deletion(); d.Step != step || len(d.StepLog) != 1+i {
				t.Fatalf("the worker did not wait before %s: %+v", step, d)
			}
			w.mustBeSoundWithin(Patience(w.options.Lease))
		}
	}
	w.until("the deletion is done", w.done)
	if took := time.Since(began); took < 5*w.options.Slow || took > 5*w.options.Slow+5*time.Second {
		t.Errorf("the deletion took %s", took)
	}
	d := w.deletion()
	if got := told(d.StepLog); !slices.Equal(got, allSteps) {
		t.Errorf("the trace tells %q", got)
	}
	for _, r := range d.StepLog {
		if took := r.Ended.Sub(r.Began); took > time.Second {
			t.Errorf("step %s counts %s, with the wait before it", r.Step, took)
		}
	}
	if n := c.of("Send " + domain.QueueName); n != 0 {
		t.Errorf("%d messages were sent for a deletion that waits", n)
	}
	w.mustCountEveryRow(enoughPosts)
	w.mustBeDeleted()
}

func stopEndsWait(t *testing.T) {
	w := newWorld(t, enoughPosts)
	w.options.Slow = time.Minute
	w.mustAsk()
	stop := w.start(w.sound)
	w.until("the worker waits", func() bool { return w.deletion().Step == domain.StepSweep })
	began := time.Now()
	stop()
	if took := time.Since(began); took > time.Second {
		t.Errorf("it stopped after %s", took)
	}
	if w.visible() != 1 {
		t.Error("the message of a worker that stopped is not visible immediately")
	}
	if d := w.deletion(); d.State != domain.DeletionQueued || d.Attempts != 0 || d.RowsDeleted != 0 {
		t.Errorf("the deletion is %+v, want queued, without an attempt", d)
	}
	w.options.Slow = 0
	w.finish()
	w.mustCountEveryRow(enoughPosts)
	w.mustBeDeleted()
}
