package worker

import (
	"context"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestPoison(t *testing.T) {
	t.Run("takes a message that gets no further until it is requeued", bubble(poisonedUntilRequeued))
	t.Run("takes at once a message that nobody can read", bubble(poisonedUnread))
	t.Run("takes a message that kills its workers after a hundred deliveries", bubble(poisonedForKilling))
}

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
	w.until("the reconciling pass had its chance", elapsed(10*testOptions.Reconcile))
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

func poisonedUnread(t *testing.T) {
	w := newWorld(t, 0)
	for _, text := range []string{"not JSON", `{"kind":"channel"}`, `{"kind":"tomorrow's","channel":"victim","incarnation":"AAAAAAAAAAAAAAAAAAAAAAAAAA"}`} {
		w.ok(w.sound.Messages().Send(t.Context(), text))
	}
	stop := w.start(w.sound)
	w.until("the worker has seen the queue", elapsed(time.Minute))
	stop()
	if n := w.visible(); n != 0 {
		t.Errorf("%d unreadable messages are still on the queue", n)
	}
	if n, err := w.sound.Requeue(t.Context(), ""); n != 3 || err != nil {
		t.Errorf("%d messages were in poison (%v), want all 3", n, err)
	}
	w.mustBeSound()
}

func poisonedForKilling(t *testing.T) {
	w := newWorld(t, 1)
	w.mustAsk()
	for range maxDeliveries {
		if w.visible() != 1 {
			t.Fatal("the message is gone")
		}
	}
	stop := w.start(w.sound)
	w.until("the deletion is poisoned", w.poisoned)
	stop()
}

// copies counts the messages on the poison queue.
func (w *world) copies() int {
	w.t.Helper()
	messages, err := driver.NewQueue(w.db, domain.PoisonQueueName).Receive(w.t.Context(), 32, time.Second)
	w.ok(err)
	return len(messages)
}
