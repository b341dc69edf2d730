package storage_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestPoison(t *testing.T) {
	t.Run("message is moved and recorded, and a requeue moves it back", poisonedMessageIsMovedAndRecorded)
	t.Run("deletion without a record is recorded", poisonedDeletionIsRecorded)
	t.Run("fault loses no message", poisonFaultLosesNoMessage)
	t.Run("deletion that is recorded as poisoned can be requeued", recordedPoisonCanBeRequeued)
	t.Run("message makes one copy, whatever fails", poisonMakesOneCopy)
	t.Run("nothing is sent while the tables are away", poisonSendsNothingWithoutTables)
	t.Run("deletion of a post is recorded until it is done", poisonedPostIsRecorded)
	t.Run("message keeps the fields of a later program", poisonKeepsLaterFields)
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
		tried.Attempts, tried.QueuedOn = 0, domain.Now()
		if n := w.requeue(""); n != 1 {
			t.Errorf("requeued %d", n)
		}
		if d := w.deletion(ref); d.State != domain.DeletionQueued || d.Attempts != 0 {
			t.Errorf("the requeued deletion is %+v", d)
		}
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

// A deletion that is recorded as poisoned can be put back, even if its worker died
// before it sent the copy.
func recordedPoisonCanBeRequeued(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then its sender dies", func(w *world, n int) {
			ref := w.ask(w.create("garden", ada))
			m := w.receive()
			w.arm(deadAfter(n, fault.at(n)))
			_ = w.faulty.Poison(w.t.Context(), m) // whatever it answers
			if w.deletion(ref).State != domain.DeletionPoisoned {
				return
			}
			w.settleCopied()
			if n := w.requeue(""); n != 1 || len(w.messages()) == 0 {
				w.t.Errorf("requeued %d", n)
			}
			if n := w.requeue(""); n != 0 || len(w.messages()) != 0 {
				w.t.Errorf("requeued %d the second time", n)
			}
		})
	}
}

// settleCopied deletes what the queue holds of messages that are marked as poisoned,
// as the worker does with the next delivery.
func (w *world) settleCopied() {
	w.t.Helper()
	time.Sleep(time.Hour) // every lease has run out
	received, err := w.store.Messages().Receive(w.t.Context(), 32, time.Second)
	w.ok(err)
	for _, m := range received {
		if message, err := domain.DecodeMessage(m.Text); err == nil && message.Copied {
			w.ok(w.store.Poison(w.t.Context(), m))
		}
	}
	time.Sleep(time.Second)
}

// Some worker poisons the message at each delivery, and each has the same fault, until
// the fault is over.
func poisonMakesOneCopy(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+" in ten deliveries", func(w *world, n int) {
			w.ask(w.create("garden", ada))
			calls := 0
			for range 10 {
				received, err := w.store.Messages().Receive(w.t.Context(), 1, time.Minute)
				w.ok(err)
				if len(received) == 0 {
					break
				}
				w.arm(fault.at(n))
				_ = w.faulty.Poison(w.t.Context(), received[0]) // whatever it answers
				calls = max(calls, int(w.calls.Load()))
				time.Sleep(time.Hour)
			}
			w.calls.Store(int64(calls))
			if copies := len(w.poisoned()); copies > 1 {
				w.t.Errorf("%d copies are on the poison queue", copies)
			}
			w.settleCopied()
			// The original is still there if it was never marked.
			if n := w.requeue(""); n > 1 || len(w.messages()) == 0 || len(w.poisoned()) != 0 {
				w.t.Errorf("requeued %d, and %q is left in poison", n, w.poisoned())
			}
		})
	}
}

func poisonSendsNothingWithoutTables(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ask(w.create("garden", ada))
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Deletions" {
				return drivertest.ErrInjected
			}
			return send(ctx)
		})
		for range 100 {
			if err := w.faulty.Poison(t.Context(), w.receive()); !errors.Is(err, domain.ErrUnavailable) {
				t.Fatalf("poisoning reports %v", err)
			}
			time.Sleep(time.Minute)
		}
		if copies := w.poisoned(); len(copies) != 0 {
			t.Errorf("%d copies are on the poison queue", len(copies))
		}
		w.poison()
		if copies := w.poisoned(); len(copies) != 1 {
			t.Errorf("%d copies are on the poison queue once the tables are back", len(copies))
		}
	})
}

func poisonedPostIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		blog := w.post(channel, grace, "one")
		message := domain.Message{
			Kind: domain.MessageBlog, Channel: channel.Key(), Incarnation: channel.Incarnation, Name: channel.Name, By: grace,
			AskedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision, Attempts: 5,
		}
		w.ok(w.store.Messages().Send(t.Context(), message.Encode()))
		w.poison()
		w.mustRecordPost(message, domain.DeletionPoisoned)
		if n := w.requeue("garden"); n != 1 {
			t.Errorf("requeued %d", n)
		}
		w.mustRecordPost(message, domain.DeletionQueued)
		again := w.messages()
		if len(again) != 1 || again[0].Intent() != message.Intent() || again[0].Attempts != 0 || again[0].By != grace {
			t.Fatalf("the queue holds %+v", again)
		}
		w.finish(again)
		w.mustRecordPost(message, domain.DeletionDone)
		if w.has("garden", "blog!"+string(blog.ID)) {
			t.Error("the post is still there")
		}
		w.finish(again)
		w.mustBeSound()
	})
}

// mustRecordPost checks the state in the one row of Deletions.
func (w *world) mustRecordPost(m domain.Message, state domain.DeletionState) {
	w.t.Helper()
	rows := w.rows("Deletions")
	if len(rows) != 1 || rows[0].Row != string(m.Incarnation)+"!"+string(m.Blog)+"!"+string(m.Revision) || rows[0].Properties.String("State") != string(state) {
		w.t.Errorf("the deletions are %+v, want that of one post, %s", rows, state)
	}
	w.mustBeSound()
}

func poisonKeepsLaterFields(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ask(w.create("garden", ada))
		m := w.receive()
		m.Text = strings.TrimSuffix(m.Text, "}") + `,"later":[1]}`
		w.ok(w.store.Poison(t.Context(), m))
		if copies := w.poisoned(); len(copies) != 1 || !strings.HasSuffix(copies[0], `,"later":[1]}`) {
			t.Errorf("poison holds %q", copies)
		}
		w.requeue("")
		if text := w.receive().Text; !strings.HasSuffix(text, `,"later":[1]}`) {
			t.Errorf("the queue holds %q", text)
		}
	})
}
