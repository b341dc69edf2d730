package storage_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestPoison(t *testing.T) {
	t.Run("message is moved and recorded, and a requeue moves it back", poisonedMessageIsMovedAndRecorded)
	t.Run("deletion without a record is recorded", poisonedDeletionIsRecorded)
	t.Run("fault loses no message", poisonFaultLosesNoMessage)
	t.Run("deletion that is recorded as poisoned can be requeued", recordedPoisonCanBeRequeued)
}

func poisonedMessageIsMovedAndRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ref := w.ask(w.create("garden", ada))
		m := w.receive()
		tried, err := domain.DecodeMessage(m.Text)
		w.ok(err)
		tried.Attempts = 5
		m.Text = tried.Encode()
		w.ok(w.store.Poison(t.Context(), m))
		if d := w.deletion(ref); d.State != domain.DeletionPoisoned || d.Attempts != 5 {
			t.Errorf("the deletion is %+v", d)
		}
		time.Sleep(time.Hour)
		if left := w.messages(); len(left) != 0 || !slices.Equal(w.poisoned(), []string{m.Text}) {
			t.Errorf("the queue holds %v, poison %q", left, w.poisoned())
		}
		if n := w.requeue(""); n != 1 {
			t.Errorf("requeued %d", n)
		}
		if d := w.deletion(ref); d.State != domain.DeletionQueued || d.Attempts != 0 {
			t.Errorf("the requeued deletion is %+v", d)
		}
		tried.Attempts = 0
		if back := w.messages(); !slices.Equal(back, []domain.Message{tried}) || len(w.poisoned()) != 0 {
			t.Errorf("the queue holds %+v, poison %q", back, w.poisoned())
		}
	})
}

// A worker may receive a message before the web role has recorded the deletion.
func poisonedDeletionIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		m := domain.Message{Kind: domain.MessageChannel, Channel: channel.Key(), Incarnation: channel.Incarnation, By: ada, AskedOn: domain.Now()}
		w.ok(w.store.Messages().Send(t.Context(), m.Encode()))
		w.poison()
		if d := w.deletion(channel.Ref()); d.State != domain.DeletionPoisoned {
			t.Errorf("the deletion is %+v", d)
		}
	})
}

func poisonFaultLosesNoMessage(t *testing.T) {
	moveLosesNoMessage(t, func(w *world) error { return w.faulty.Poison(w.t.Context(), w.receive()) })
}

// moveLosesNoMessage checks a move from one queue to the other. The copy is sent before
// the original is deleted. So a message that is not on one queue is on the other,
// whatever fault a call has.
func moveLosesNoMessage(t *testing.T, move func(w *world) error) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		w.ask(channel)
		err := move(w)
		if err != nil && !errors.Is(err, domain.ErrUnavailable) && !errors.Is(err, domain.ErrLeaseLost) {
			w.t.Error(err)
		}
		time.Sleep(time.Hour) // every lease has run out
		n := w.requeue("")
		messages := w.messages()
		if len(messages) == 0 || len(messages) < n {
			w.t.Errorf("requeued %d, and the queue holds %+v", n, messages)
		}
		w.carryOut(messages)
		w.mustKeepTheNextIncarnation(channel, false)
		if d := w.deletion(channel.Ref()); d.State != domain.DeletionDone {
			w.t.Errorf("the deletion is %+v", d)
		}
	})
}

// A deletion that is recorded as poisoned has its message on the poison queue, where
// the operator finds it.
func recordedPoisonCanBeRequeued(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then its sender dies", func(w *world, n int) {
			ref := w.ask(w.create("garden", ada))
			m := w.receive()
			w.arm(deadAfter(n, fault.at(n)))
			_ = w.faulty.Poison(w.t.Context(), m) // whatever it answers
			if w.deletion(ref).State == domain.DeletionPoisoned && len(w.poisoned()) == 0 {
				w.t.Error("poisoned, and no operator can find it")
			}
		})
	}
}
