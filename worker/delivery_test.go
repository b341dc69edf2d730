package worker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestDelivery(t *testing.T) {
	t.Run("that is given back in good order does not count", bubble(deliveryGivenBack))
	t.Run("that waits for the store does not count", bubble(deliveryWaits))
	t.Run("before one that got further does not count", bubble(deliveryBeforeProgress))
	t.Run("that removes votes of a post is no attempt", bubble(deliveryRemovesVotes))
}

// receive takes the one message that the queue holds.
func (w *world) receive() driver.Message {
	w.t.Helper()
	var received []driver.Message
	w.until("a message is visible", func() bool {
		var err error
		if received, err = w.sound.Messages().Receive(w.t.Context(), 1, w.options.Lease); err != nil {
			w.t.Fatal(err)
		}
		return len(received) == 1
	})
	return received[0]
}

// handle handles one delivery on one side of the store and concludes it, as a worker
// does. The worker is about to stop if stop is closed.
func (w *world) handle(s *storage.Store, stop <-chan struct{}) {
	w.t.Helper()
	job := New(s, w.options).newJob(w.receive(), stop)
	err := job.do(w.t.Context())
	job.conclude(w.t.Context(), classify(w.t.Context(), err), err)
}

const manyDeliveries = maxDeliveries + 10

func deliveryGivenBack(t *testing.T) {
	w := newWorld(t, 1)
	w.mustAsk()
	stopping := make(chan struct{})
	close(stopping)
	for range manyDeliveries {
		w.handle(w.sound, stopping)
	}
	w.mustFinish()
}

// mustFinish finishes the victim's deletion, unless it gets poisoned.
func (w *world) mustFinish() {
	w.t.Helper()
	stop := w.start(w.sound)
	w.until("the deletion has ended", func() bool { return w.done() || w.poisoned() })
	stop()
	w.mustBeDeleted()
}

func deliveryWaits(t *testing.T) {
	w := newWorld(t, 1)
	w.mustAsk()
	w.hook = drivertest.Only(sweeps, func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
	for range manyDeliveries {
		w.handle(w.faulty, nil)
		time.Sleep(75 * time.Second)
	}
	w.mustFinish()
}

// A worker is killed in each delivery. In one of them it has removed rows before.
func deliveryBeforeProgress(t *testing.T) {
	w := newWorld(t, enoughPosts)
	w.mustAsk()
	for range maxDeliveries / 2 {
		w.receive()
	}
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > 1 {
			return drivertest.ErrInjected // killed before this call
		}
		return send(ctx)
	})
	job := New(w.faulty, w.options).newJob(w.receive(), nil)
	if err := job.do(t.Context()); err == nil || w.deletion().RowsDeleted == 0 {
		t.Fatalf("the worker was not killed in the middle of its work: %+v, %v", w.deletion(), err)
	}
	for range maxDeliveries - 1 {
		w.receive()
	}
	w.mustFinish()
}

// Each handling removes one transaction of votes and is then refused. There are more
// handlings than attempts.
func deliveryRemovesVotes(t *testing.T) {
	w := newWorld(t, 0)
	blog := w.deletePopular(8 * driver.MaxOperations)
	handlings, inHandling := 0, 0
	w.hook = serial(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case call.Method == "Get" && call.Target == "Blogs":
			handlings++
			inHandling = 0
		case call.Method == "Transact" && call.Target == "Blogs":
			if inHandling++; inHandling > 1 {
				return errRefused
			}
		}
		return send(ctx)
	})
	w.mustLoseVotes(w.faulty, blog)
	if handlings <= testOptions.MaxAttempts {
		t.Fatalf("%d handlings are too few to show anything", handlings)
	}
}

// deletePopular deletes a post with votes, so that they wait for a worker.
func (w *world) deletePopular(votes int) domain.Blog {
	w.t.Helper()
	blog := w.post(w.bystander, "popular")
	for i := range votes {
		w.ok(w.sound.Vote(w.t.Context(), blog.Channel, blog.ID, domain.UserName(fmt.Sprintf("user%d", i))))
	}
	w.ok(w.sound.DeleteBlog(w.t.Context(), w.bystander, blog.ID, visitor, domain.Any[domain.Revision]()))
	return blog
}

// mustLoseVotes runs a worker until a post's votes are gone, and no message may be poisoned.
func (w *world) mustLoseVotes(s *storage.Store, blog domain.Blog) {
	w.t.Helper()
	stop := w.start(s)
	w.until("the votes are gone", func() bool {
		if n, err := w.sound.Requeue(w.t.Context(), ""); n != 0 || err != nil {
			w.t.Fatalf("%d messages are in poison (%v)", n, err)
		}
		return w.votes(blog.ID) == 0
	})
	stop()
	w.mustBeSound()
}

// votes counts the votes on a post of the bystander.
func (w *world) votes(id domain.BlogID) (n int) {
	w.t.Helper()
	prefix := "vote!" + string(id) + "!"
	votes := driver.NewTable(w.db, "Blogs").Within(w.t.Context(), driver.Range{
		Partition: string(w.bystander.Key()), From: prefix, To: prefix + "~", Paging: driver.Paging{KeysOnly: true}})
	for _, err := range votes {
		w.ok(err)
		n++
	}
	return n
}
