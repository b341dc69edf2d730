package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A message that gets no further waits for an operator, until it is requeued.
func TestPoison(t *testing.T) { synctest.Test(t, poisonedUntilRequeued) }

func poisonedUntilRequeued(t *testing.T) {
	w := newWorld(t, 5)
	w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error {
		return errRefused
	})
	w.mustAsk()
	stop := w.start(w.faulty)
	w.until("the deletion is poisoned", w.poisoned)
	if got := w.deletion().Attempts; got != testOptions.MaxAttempts {
		t.Errorf("poisoned after %d attempts, want %d", got, testOptions.MaxAttempts)
	}
	time.Sleep(10 * testOptions.Reconcile)
	if !w.poisoned() || w.visible() != 0 {
		t.Error("a poisoned deletion was queued again, but no operator asked for it")
	}
	stop()

	if n, err := w.sound.Requeue(t.Context(), w.bystander.Key()); n != 0 || err != nil {
		t.Errorf("requeueing another channel put back %d (%v), want 0", n, err)
	}
	if n, err := w.sound.Requeue(t.Context(), w.victim.Key()); n != 1 || err != nil {
		t.Errorf("requeueing put back %d (%v), want 1", n, err)
	}
	w.finish()
	w.mustBeDeleted()
}

func (w *world) poisoned() bool { return w.deletion().State == domain.DeletionPoisoned }

// copies counts the messages on the poison queue.
func (w *world) copies() int {
	w.t.Helper()
	messages, err := driver.NewQueue(w.db, domain.PoisonQueueName).Receive(w.t.Context(), 32, time.Second)
	w.ok(err)
	return len(messages)
}
