package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// receive takes one message from the queue.
func (w *world) receive() driver.Message {
	w.t.Helper()
	received, err := w.store.Messages().Receive(w.t.Context(), 1, time.Minute)
	w.ok(err)
	if len(received) != 1 {
		w.t.Fatal("no message is visible")
	}
	return received[0]
}

// poisoned is the texts that are visible on the poison queue, which keeps them.
func (w *world) poisoned() []string {
	w.t.Helper()
	queue := driver.NewQueue(w.db, domain.PoisonQueueName)
	var texts []string
	for {
		received, err := queue.Receive(w.t.Context(), 32, time.Minute)
		w.ok(err)
		if len(received) == 0 {
			break
		}
		for _, m := range received {
			texts = append(texts, m.Text)
		}
	}
	time.Sleep(time.Minute)
	slices.Sort(texts)
	return texts
}

func (w *world) requeue(only domain.ChannelKey) int {
	w.t.Helper()
	n, err := w.store.Requeue(w.t.Context(), only)
	w.ok(err)
	return n
}

func TestAPoisonedMessageIsMovedAndSaysSo(t *testing.T) {
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

// A worker may get a message before the web has recorded it.
func TestAPoisonedDeletionIsRecordedIfItWasNot(t *testing.T) {
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

func TestRequeueingOneChannelLeavesTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ask(w.create("garden", ada))
		w.ask(w.create("harbour", ada))
		blog := w.post(w.create("posts", ada), grace, "one")
		ofPost := domain.Message{
			Kind: domain.MessageBlog, Channel: "posts", Incarnation: blog.Channel.Incarnation, By: grace,
			AskedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision,
		}
		for _, text := range []string{ofPost.Encode(), "not a message", `{"kind":"of later"}`} {
			w.ok(w.store.Messages().Send(t.Context(), text))
		}
		w.poison()
		before := w.poisoned()
		if n := w.requeue("nobody"); n != 0 || !slices.Equal(w.poisoned(), before) {
			t.Errorf("requeued %d of no channel", n)
		}
		if n := w.requeue("garden"); n != 1 || len(w.poisoned()) != 4 {
			t.Errorf("requeued %d of one channel, and %q is left", n, w.poisoned())
		}
		if back := w.messages(); len(back) != 1 || back[0].Channel != "garden" {
			t.Errorf("the queue holds %+v", back)
		}
		if n := w.requeue("posts"); n != 1 || w.messages()[0] != ofPost {
			t.Errorf("requeued %d of a post", n)
		}
		if n := w.requeue(""); n != 3 || len(w.poisoned()) != 0 {
			t.Errorf("requeued %d of all, and %q is left", n, w.poisoned())
		}
		if rows := w.rows("Deletions"); len(rows) != 2 {
			t.Errorf("deletions are recorded of %v", rows)
		}
	})
}

// Requeueing looks through the queue once: what fails again meanwhile is for
// the next time.
func TestRequeueingEndsAlthoughAWorkerPoisonsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const messages = 40
		for i := range messages {
			w.ok(w.store.Messages().Send(t.Context(), fmt.Sprintf("not a message %02d", i)))
		}
		w.poison()
		w.poison()
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq > 100*messages {
				return drivertest.ErrInjected
			}
			err := send(ctx)
			if call.Method == "Send" && call.Target == domain.QueueName {
				w.poison()
			}
			return err
		})
		if n, err := w.faulty.Requeue(t.Context(), ""); err != nil || n != messages {
			t.Errorf("requeued %d, %v", n, err)
		}
		if left := w.poisoned(); len(left) != messages {
			t.Errorf("%d messages are poisoned in the end", len(left))
		}
	})
}

// The copy is sent before the original is deleted, so that no mishap loses a
// message: what is not on one queue is on the other.
func TestNoMishapLosesAPoisonedMessage(t *testing.T) {
	moves := map[string]func(w *world) error{
		"of poisoning": func(w *world) error { return w.faulty.Poison(w.t.Context(), w.receive()) },
		"of requeueing": func(w *world) error {
			w.poison()
			_, err := w.faulty.Requeue(w.t.Context(), "")
			return err
		},
	}
	for what, move := range moves {
		t.Run(what, func(t *testing.T) {
			eachMishap(t, func(w *world) {
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
				w.mustKeepTheNextLife(channel, false)
				if d := w.deletion(channel.Ref()); d.State != domain.DeletionDone {
					w.t.Errorf("the deletion is %+v", d)
				}
			})
		})
	}
}

// A deletion is never poisoned in its row alone: the operator finds its message.
func TestWhatIsRecordedAsPoisonedCanBeRequeued(t *testing.T) {
	for _, fault := range mishaps {
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
