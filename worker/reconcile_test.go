package worker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

func TestReconcile(t *testing.T) {
	t.Run("removes what has expired at the start and once a day, and a minute later if the store did not answer", bubble(expiresOnceADay))
	t.Run("removes the record of a deletion when its time is over, and a message that comes later changes nothing", bubble(prunesOnceADay))
	t.Run("a worker that stalls until its record was removed has nothing to do", bubble(stalledWorkerFindsNoRecord))
	t.Run("costs less than 20 requests a minute while workers are idle", bubble(idleWorkersCostLittle))
}

// The store does not answer the first two times.
func expiresOnceADay(t *testing.T) {
	w := newWorld(t, 0)
	var log strings.Builder
	w.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := newCounted()
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if err := c.hook(ctx, call, send); call.Target != "Sessions" || c.of("Scan Sessions") > 2 {
			return err
		}
		return drivertest.ErrInjected
	}
	stop := w.start(w.faulty)
	for day := range 3 {
		time.Sleep(10 * time.Minute)
		if sessions, passes := c.of("Scan Sessions"), c.of("Scan Deletions"); sessions != 2+day+1 || passes < 8*(day+1) {
			t.Errorf("on day %d, the sessions were read %d times in %d passes", day, sessions, passes)
		}
		time.Sleep(24*time.Hour - 10*time.Minute)
	}
	stop()
	if strings.Count(log.String(), "reconciling pass failed") != 2 || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("of two passes that failed, and others that found nothing, the log says:\n%s", &log)
	}
}

// counted counts calls by what they are.
type counted struct {
	mu    sync.Mutex
	calls map[string]int
}

func newCounted() *counted { return &counted{calls: map[string]int{}} }

func (c *counted) hook(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	c.mu.Lock()
	c.calls[string(call.Method)+" "+call.Target]++
	c.mu.Unlock()
	return send(ctx)
}

func (c *counted) of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[what]
}

func (c *counted) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, calls := range c.calls {
		n += calls
	}
	return n
}

// Three workers are idle. Every request counts: also the looks at the queue of deletions.
func idleWorkersCostLittle(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	s := storage.New(drivertest.NewFaults(drivertest.Far(w.db), c.hook), storage.Options{})
	for range 3 {
		defer w.start(s)()
	}
	time.Sleep(10 * time.Minute)
	before := c.total()
	const minutes = 60
	time.Sleep(minutes * time.Minute)
	if n := c.total() - before; n >= 20*minutes {
		t.Errorf("%.1f requests a minute", float64(n)/minutes)
	}
}

// Its message is delivered once more, after the record has gone.
func prunesOnceADay(t *testing.T) {
	w := newWorld(t, 3)
	w.mustAsk()
	message := w.receive()
	w.options.KeepDeletions = 36 * time.Hour
	w.finish()
	stop := w.start(w.sound)
	time.Sleep(35 * time.Hour)
	if d := w.deletion(); d.State != domain.DeletionDone {
		t.Errorf("after a day, the deletion is recorded as %q", d.State)
	}
	time.Sleep(24 * time.Hour)
	w.ok(w.sound.Operator.Messages().Send(t.Context(), message.Text))
	time.Sleep(time.Minute)
	stop()
	for row, err := range driver.NewTable(w.db, "Deletions").All(t.Context(), driver.Scan{}) {
		if w.ok(err); row.Partition != schema.VersionPartition {
			t.Errorf("of a deletion that ended two days ago, this is left: %v", row)
		}
	}
	if n := w.visible(); n > 0 {
		t.Errorf("%d messages are left", n)
	}
	w.mustBeDeleted()
}

// A worker stalls before it first records that it works, until the deletion has ended and its record is gone.
func stalledWorkerFindsNoRecord(t *testing.T) {
	w := newWorld(t, 3)
	w.mustAsk()
	message := w.receive()
	stalled := true
	w.hook = drivertest.Only(drivertest.Writes, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if stalled && call.Target == "Deletions" {
			stalled = false
			w.ok(New(w.sound.Steps, w.options).Handle(ctx, message))
			_, err := w.sound.Operator.Prune(ctx, 0)
			w.ok(err)
		}
		return send(ctx)
	})
	w.options.MaxAttempts = 1
	if err := New(w.faulty.Steps, w.options).Handle(t.Context(), message); err != nil || stalled {
		t.Errorf("a worker that has stalled until the record was removed fails with %v", err)
	}
	w.mustBeDeleted()
}
