package worker

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A worker stalls before one of its calls and does not notice that its lease is
// lost. Meanwhile another worker completes the deletion, and the name is used
// again. Then the first worker goes on.
func noLateWorkerHurts(t *testing.T) {
	calls := callsOfADeletion(t)
	for n := 1; n <= calls; n++ {
		t.Run(fmt.Sprintf("before its call %d", n), bubble(func(t *testing.T) { workerWakesUpLate(t, n) }))
	}
}

func workerWakesUpLate(t *testing.T, n int) {
	w := newWorld(t, enoughPosts)
	w.mustAsk()
	wake := make(chan struct{})
	w.hook, _ = renumber(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq >= n {
			<-wake
		}
		return send(ctx)
	})
	ended := w.handleWithoutLease()
	synctest.Wait()
	w.finish()

	again := w.create(string(w.victim.Name))
	var posts []domain.Blog
	for i := range enoughPosts {
		posts = append(posts, w.post(again, fmt.Sprintf("post %d", i))) // the same idempotency keys
	}
	close(wake)
	<-ended
	w.mustCount(3*enoughPosts + 1)

	for _, blog := range posts {
		if _, err := w.sound.Blog(t.Context(), again.Ref(), blog.ID); err != nil {
			t.Fatalf("a post of the new incarnation is lost: %v", err)
		}
		_, created, err := w.sound.Post(t.Context(), storage.Posting{
			Channel: again.Ref(), By: visitor, Key: blog.Text, Draft: domain.Draft{Text: blog.Text},
		})
		if err != nil || created {
			t.Fatalf("the new incarnation forgot an idempotency key (created %v, %v)", created, err)
		}
	}
	w.mustBeSound()
}

// handleWithoutLease handles the victim's message on the faulty side, like a
// worker that does not notice that its lease is lost.
func (w *world) handleWithoutLease() (ended <-chan struct{}) {
	message := w.intent()
	done := make(chan struct{})
	go func() {
		defer close(done)
		worker := New(w.faulty, testOptions)
		job := worker.newJob(driver.Message{Text: message.Encode(), Deliveries: 1}, nil)
		if err := job.do(w.t.Context()); err != nil {
			w.t.Logf("the late worker gave up: %v", err)
		}
	}()
	return done
}
