package worker

import (
	"context"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestWorker(t *testing.T) {
	t.Run("outlives a store that is away", bubble(outlivesAbsentStore))
	t.Run("completes the deletion of a post that died after it was queued", bubble(completesDeletionOfPost))
}

func outlivesAbsentStore(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	away := elapsed(10 * time.Minute)
	w.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if !away() {
			return drivertest.ErrInjected
		}
		return send(ctx)
	}
	stop := w.start(w.faulty)
	w.until("the store is back", away)
	w.until("the worker has noticed", elapsed(2*failedPollMax))
	stop()
	if !w.done() {
		t.Error("the worker did not recover soon after the store was back")
	}
	w.mustBeDeleted()
}

func completesDeletionOfPost(t *testing.T) {
	w := newWorld(t, 1)
	blog := w.post(w.bystander, "to be deleted")
	w.hook = drivertest.Only(
		func(call drivertest.Call) bool { return call.Method == "Transact" },
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected })
	err := w.faulty.DeleteBlog(t.Context(), w.bystander, blog.ID, visitor, domain.Any[domain.Revision]())
	if err == nil {
		t.Fatal("the deletion that was to die succeeded")
	}
	stop := w.start(w.sound)
	w.until("the worker has removed the post", func() bool {
		_, err := w.sound.Blog(t.Context(), blog.Channel, blog.ID)
		return err != nil
	})
	stop()
	w.mustBeSound()
}
