package storage_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestRequeue(t *testing.T) {
	t.Run("one channel's messages go back and no others", requeueOneChannelLeavesOthers)
	t.Run("requeueing ends although a worker poisons at once", requeueEnds)
	t.Run("fault loses no message", requeueFaultLosesNoMessage)
	t.Run("post that an older program poisoned is recorded until it is done", requeueRecordsOldPoison)
	t.Run("slow one beside another queues nothing twice", slowRequeueQueuesOnce)
	t.Run("reading that takes longer than a lease ends", slowReadingEnds)
	t.Run("message counts that has moved when its lease is lost", requeueCountsWhatMoved)
	t.Run("deletion is queued once however many copies are poisoned", requeueQueuesOnce)
}

func requeueOneChannelLeavesOthers(t *testing.T) {
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
		if n := w.requeue("posts"); n != 1 || w.messages()[0].Intent() != ofPost.Intent() {
			t.Errorf("requeued %d of a post", n)
		}
		if n := w.requeue(""); n != 3 || len(w.poisoned()) != 0 {
			t.Errorf("requeued %d of all, and %q is left", n, w.poisoned())
		}
		rows := slices.DeleteFunc(w.rows("Deletions"), func(row driver.Entity) bool { return row.Partition == "unread!" })
		if len(rows) != 3 {
			t.Errorf("deletions are recorded of %v", rows)
		}
	})
}

// Requeue moves each message once. A message that fails again meanwhile stays for the
// next time.
func requeueEnds(t *testing.T) {
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

func requeueFaultLosesNoMessage(t *testing.T) {
	moveLosesNoMessage(t, func(w *world) error {
		w.poison()
		_, err := w.faulty.Requeue(w.t.Context(), "")
		return err
	})
}

// An older program left no record of a post.
func requeueRecordsOldPoison(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		blog := w.post(w.create("posts", ada), grace, "one")
		w.ok(w.store.DeleteBlog(t.Context(), w.readChannel("posts"), blog.ID, grace, domain.Any[domain.Revision]()))
		message := w.messages()[0]
		w.ok(driver.NewQueue(w.db, domain.PoisonQueueName).Send(t.Context(), message.Encode()))
		w.requeue("")
		w.mustRecordPost(message, domain.DeletionQueued)
		w.finish(w.messages())
		w.mustRecordPost(message, domain.DeletionDone)
	})
}

// A client that sends a request again unasked doubles a copy.
func requeueQueuesOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ask(w.create("garden", ada))
		blog := w.post(w.create("posts", ada), grace, "one")
		w.ok(w.store.DeleteBlog(t.Context(), w.readChannel("posts"), blog.ID, grace, domain.Any[domain.Revision]()))
		w.poison()
		poison := driver.NewQueue(w.db, domain.PoisonQueueName)
		for _, text := range w.poisoned() {
			for range 3 {
				w.ok(poison.Send(t.Context(), text))
			}
		}
		if n := w.requeue(""); n != 2 || len(w.poisoned()) != 0 {
			t.Errorf("requeued %d, and %q is left", n, w.poisoned())
		}
		if back := w.messages(); len(back) != 2 {
			t.Errorf("the queue holds %+v", back)
		}
	})
}

// Each send takes so long that the leases of the other messages run out. In the middle
// another Requeue takes those, and its own leases run out too.
func slowRequeueQueuesOnce(t *testing.T) {
	for _, unread := range []bool{false, true} {
		inBubble(t, func(t *testing.T, w *world) {
			const messages = 40
			for i := range messages {
				if unread {
					w.ok(w.store.Messages().Send(t.Context(), fmt.Sprintf("not a message %02d", i)))
				} else {
					w.ask(w.create(fmt.Sprintf("garden%d", i), ada))
				}
			}
			w.poison()
			w.poison()
			sends, other := 0, 0
			w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Method == "Send" {
					if sends++; sends == messages/2 {
						time.Sleep(time.Hour)
						other = w.requeue("")
					}
				}
				return send(ctx)
			})
			n, err := w.faulty.Requeue(t.Context(), "")
			w.ok(err)
			time.Sleep(time.Hour)
			// The one that was about to be sent is queued by both: it is on both queues for a
			// moment.
			if back := len(w.queued()); back != n+other || back > messages+1 || len(w.poisoned()) != 0 {
				t.Errorf("requeued %d and %d of %d, the queue holds %d, poison %q", n, other, messages, back, w.poisoned())
			}
		})
	}
}

// Each look at the poison queue takes longer than the leases of what was received before.
func slowReadingEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const messages = 70
		for i := range messages {
			w.ok(w.store.Messages().Send(t.Context(), fmt.Sprintf("not a message %02d", i)))
		}
		for range 3 {
			w.poison()
		}
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq > 100*messages {
				return drivertest.ErrInjected
			}
			if call.Method == "Receive" {
				time.Sleep(2 * time.Minute)
			}
			return send(ctx)
		})
		if n, err := w.faulty.Requeue(t.Context(), ""); err != nil || n != messages {
			t.Errorf("requeued %d, %v", n, err)
		}
		time.Sleep(time.Hour)
		if back := len(w.queued()); back != messages || len(w.poisoned()) != 0 {
			t.Errorf("the queue holds %d, poison %q", back, w.poisoned())
		}
	})
}

// queued receives the texts of all visible messages of the queue.
func (w *world) queued() (texts []string) {
	w.t.Helper()
	for {
		received, err := w.store.Messages().Receive(w.t.Context(), driver.MaxReceive, time.Minute)
		w.ok(err)
		if len(received) == 0 {
			return texts
		}
		for _, m := range received {
			texts = append(texts, m.Text)
		}
	}
}

func requeueCountsWhatMoved(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ask(w.create("garden", ada))
		w.poison()
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Method == "Delete" {
				time.Sleep(time.Hour)
				w.poisoned() // receives it
			}
			return send(ctx)
		})
		n, err := w.faulty.Requeue(t.Context(), "")
		if w.ok(err); n != 1 || len(w.messages()) != 1 {
			t.Errorf("requeued %d, and it has moved", n)
		}
	})
}

func (w *world) readChannel(key domain.ChannelKey) domain.Channel {
	w.t.Helper()
	channel, err := w.store.Channel(w.t.Context(), key)
	w.ok(err)
	return channel
}
