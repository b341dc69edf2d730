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

// A worker that stalls between any two calls, wakes up when another has finished
// its work and life has gone on under the same name, and does not even notice
// that its lease is lost, goes on with what it was about to do.
func TestAWorkerThatWakesUpLateHurtsNothing(t *testing.T) {
	calls := callsOfADeletion(t)
	for n := 1; n <= calls; n++ {
		t.Run(fmt.Sprintf("before its call %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { wakesUpLate(t, n) })
		})
	}
}

func wakesUpLate(t *testing.T, n int) {
	w := newWorld(t, enoughPosts)
	if err := w.ask(w.sound); err != nil {
		t.Fatal(err)
	}
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

// handleWithoutLease handles the victim's message on the faulty side as a worker
// does that misses every sign that its lease is lost.
func (w *world) handleWithoutLease() (ended <-chan struct{}) {
	message := domain.Message{
		Kind: domain.MessageChannel, Channel: w.victim.Key(), Incarnation: w.victim.Incarnation,
		Name: w.victim.Name, By: owner, AskedOn: domain.Now(),
	}
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

// A request that was under way when the channel was marked removes a row that
// the sweep has just read. Its whole transaction fails; its other rows are still
// there.
func TestAPostDeletedUnderTheSweepDoesNotHideTheRowsBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3)
		blog := w.post(w.victim, "deleted by its author")
		w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Seq == 1 {
				err := w.sound.DeleteBlog(ctx, w.victim, blog.ID, visitor, domain.Any[domain.Revision]())
				if err != nil {
					t.Errorf("deleting the post: %v", err)
				}
			}
			return send(ctx)
		})
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		stop := w.start(w.faulty)
		w.until("the deletion is done", w.done)
		stop()
		w.mustBeDeleted()
	})
}

// sweeps matches the transactions of a sweep.
func sweeps(call drivertest.Call) bool {
	return call.Method == "Transact" && call.Target == "Blogs" &&
		call.Operations[0].Action == driver.ActionMerge && call.Operations[1].Action == driver.ActionDelete
}
