package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestBacklog(t *testing.T) {
	t.Run("a deletion that waits in it is not queued again", bubble(backlogIsNoStall))
	t.Run("what was received tells which messages were handed out", watermarkRises)
	t.Run("a message that is lost is replaced while others keep coming", bubble(lostInBacklogIsReplaced))
}

func watermarkRises(t *testing.T) {
	began := time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)
	after := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	message := func(queuedOn time.Time, deliveries int64) driver.Message {
		m := domain.Message{
			Kind: domain.MessageChannel, Channel: "garden", Incarnation: domain.NewIncarnation(), AskedOn: began, QueuedOn: queuedOn,
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
		{"of an older program", after(60), []driver.Message{message(time.Time{}, 1)}, time.Time{}},
		{"that nobody can read", after(60), []driver.Message{{Text: "{", Deliveries: 1}}, time.Time{}},
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

// slowly lets the matching calls through one after another, each after a pause.
func slowly(match func(drivertest.Call) bool, pause time.Duration) drivertest.Hook {
	return drivertest.Only(match, serial(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		select {
		case <-time.After(pause):
			return send(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
}

// The only worker is busy with another channel for an hour. That one gets further each
// minute.
func backlogIsNoStall(t *testing.T) {
	w := newWorld(t, 5)
	w.queueBusy()
	w.mustAsk()
	w.mustWaitForItsTurn(domain.DeletionQueued)
}

// queueBusy asks for a deletion that takes 40 transactions.
func (w *world) queueBusy() {
	w.t.Helper()
	busy := w.create("Busy")
	for i := range 1_320 {
		w.post(busy, fmt.Sprintf("post %d", i))
	}
	_, err := w.sound.AskDeletion(w.t.Context(), busy.Key(), owner, domain.OneOf(busy.Incarnation))
	w.ok(err)
}

// mustWaitForItsTurn runs one slow worker. It checks that nobody takes the victim's
// deletion for stalled, which is in a state, while the worker is busy with the other one.
func (w *world) mustWaitForItsTurn(state domain.DeletionState) {
	w.t.Helper()
	var sent atomic.Int64
	slow := slowly(sweeps, time.Minute)
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Send" && call.Target == domain.QueueName {
			sent.Add(1)
		}
		return slow(ctx, call, send)
	}
	w.options.Concurrency = 1
	stop := w.start(w.faulty)
	w.until("most of the work is done", elapsed(35*time.Minute))
	if n := sent.Load(); n != 0 || w.deletion().State != state {
		w.t.Errorf("%d messages were sent for %+v, which waits for its turn", n, w.deletion())
	}
	checker := w.sound.NewChecker(Patience(testOptions.Lease), false, func(b domain.Breach) { w.t.Errorf("breach: %+v", b) })
	if _, err := checker.Run(w.t.Context()); err != nil {
		w.t.Error(err)
	}
	w.until("the deletion is done", w.done)
	stop()
	w.mustBeDeleted()
}

// A worker that is slow always finds another message on the queue.
func lostInBacklogIsReplaced(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	w.ok(w.sound.Messages().Delete(t.Context(), w.receive()))
	posts := 0
	coming := func() {
		posts++
		blog := w.post(w.bystander, fmt.Sprintf("post %d", posts))
		w.ok(w.sound.DeleteBlog(t.Context(), w.bystander, blog.ID, visitor, domain.Any[domain.Revision]()))
	}
	for range 3 {
		coming()
	}
	ofPost := func(call drivertest.Call) bool { return call.Method == "Get" && call.Target == "Blogs" }
	w.hook = slowly(ofPost, 10*time.Second)
	w.options.Concurrency = 1
	began := time.Now()
	stop := w.start(w.faulty)
	next := elapsed(0)
	w.until("the deletion is done", func() bool {
		if next() {
			next = elapsed(10 * time.Second)
			coming()
		}
		return w.done()
	})
	stop()
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("the lost message was replaced after %s", took)
	}
}
