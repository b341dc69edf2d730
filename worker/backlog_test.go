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

func TestBacklog(t *testing.T) {
	t.Run("a deletion that waits in it is not queued again", bubble(backlogIsNoStall))
	t.Run("what was received tells which messages were handed out", watermarkRises)
}

func watermarkRises(t *testing.T) {
	began := time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)
	after := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	message := func(queuedOn time.Time, deliveries int64) driver.Message {
		m := domain.Message{
			Kind: domain.MessageChannel, Channel: "garden", Incarnation: domain.NewIncarnation(), RequestedOn: began, QueuedOn: queuedOn,
		}
		return driver.Message{Text: m.Encode(), Deliveries: deliveries}
	}
	var mark watermark
	for _, step := range []struct {
		what     string
		asked    time.Time
		received []driver.Message
		want     time.Time
	}{
		{"that cannot be decoded", after(60), []driver.Message{{Text: "{", Deliveries: 1}}, time.Time{}},
		{"for the first time", after(60), []driver.Message{message(after(3), 1), message(after(5), 1), message(after(4), 1)}, after(5)},
		{"again", after(61), []driver.Message{message(after(20), 2)}, after(5)},
		{"earlier than another", after(62), []driver.Message{message(after(1), 1)}, after(5)},
		{"from the future", after(63), []driver.Message{message(after(99), 1)}, after(63)},
		{"at all", after(70), nil, after(70)},
		{"late", after(71), []driver.Message{message(after(64), 1)}, after(70)},
		{"at all, after the clock was set back", after(10), nil, after(10)},
	} {
		mark.note(step.asked, step.received)
		if got := mark.time(); !got.Equal(step.want) {
			t.Errorf("after a message %s: %s, want %s", step.what, got, step.want)
		}
	}
}

// The only worker is busy with another channel for most of an hour. That one gets further each
// minute.
func backlogIsNoStall(t *testing.T) {
	w := newWorld(t, 5)
	oneAMinute := drivertest.Only(sweeps, serial(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if !pauseFor(ctx, time.Minute) {
			return ctx.Err()
		}
		return send(ctx)
	}))
	busy := w.create("Busy")
	for i := range 42 { // with three rows of each post, 40 transactions
		list := make([]storage.NewPost, storage.MaxNewPosts)
		for n := range list {
			list[n] = storage.NewPost{By: owner, Key: fmt.Sprint(i, n), Draft: domain.Draft{Text: "post"}}
		}
		w.sound.Posts.CreateAll(t.Context(), busy, list)
	}
	_, err := w.sound.Deletions.Request(t.Context(), busy.Key(), domain.By(owner), domain.OneOf(busy.Incarnation))
	w.ok(err)
	w.mustAsk()
	c := newCounted()
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return c.hook(ctx, call, func(ctx context.Context) error { return oneAMinute(ctx, call, send) })
	}
	w.options.Concurrency = 1
	stop := w.start(w.faulty)
	time.Sleep(35 * time.Minute)
	if n := c.of("Send " + domain.QueueName); n != 0 || w.deletion().State != domain.DeletionQueued {
		t.Errorf("%d messages were sent for %+v, which waits for its turn", n, w.deletion())
	}
	w.mustBeSoundWithin(Patience(testOptions.Lease))
	w.until("the deletion is done", w.done)
	stop()
	w.mustBeDeleted()
}
