package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// quietLeases is how many leases a deletion may show no progress before the
// reconciling pass queues it again.
const quietLeases = 3

const (
	// removeEvery is the time between two removals of what has expired and of what deletions have left.
	removeEvery = 24 * time.Hour
	// removeAgain is that time while removals fail, since each reads whole tables.
	removeAgain = time.Hour
)

// A removal says when what has expired and what deletions have left is removed next, and how the last
// removal failed.
type removal struct {
	next   time.Time
	failed error
}

// Patience is how long a deletion may show no progress before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }

// reconcile makes reconciling passes until ctx ends. Each worker makes its own: two concurrent ones
// do no harm. The first, and then one a day, also removes what has expired, and what deletions have
// left. If that fails, so does the next, and then one an hour.
func (w *Worker) reconcile(ctx context.Context) {
	var last removal
	for pauseFor(ctx, jitter(w.Reconcile)) {
		err := guarded(func() error { return w.pass(ctx, &last) })
		if err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "reconciling pass failed", "error", err)
		}
	}
}

// pass makes one reconciling pass: first the deletions, and then what has expired and what deletions have
// left, if it is time. The failure of one does not keep it from the others. Until a removal succeeds, each
// pass fails as it did: an alert asks for passes that succeed. While this clock is ahead, a pass does nothing.
func (w *Worker) pass(ctx context.Context, last *removal) (failures error) {
	var done storage.Reconciled
	defer func() { w.Observer.Pass(done, failures) }()
	if failures = w.requireClock(); failures != nil {
		return failures
	}
	done, failures = w.steps.Reconcile(ctx, Patience(w.Lease), w.handedOut.time())
	if began := time.Now(); !began.Before(last.next) {
		var unexpired, unpruned error
		done.Expired, unexpired = w.steps.Expire(ctx)
		done.Pruned, unpruned = w.steps.Prune(ctx, w.KeepDeletions)
		failed := errors.Join(unexpired, unpruned)
		switch {
		case failed == nil:
			last.next = began.Add(removeEvery)
		case last.failed != nil: // so has the one before
			last.next = began.Add(removeAgain)
		}
		last.failed = failed
	}
	failures = errors.Join(failures, last.failed)
	if done != (storage.Reconciled{}) {
		w.Log.InfoContext(ctx, "reconciling pass", "requeued", done.Requeued, "ungated", done.Ungated, "expired", done.Expired,
			"pruned", done.Pruned)
	}
	return failures
}

// requireClock fails while the clock of this process is ahead of the store's. A pass would delete accounts before
// the time that their users were told, end sessions, and remove records that a restore needs, and nothing takes that
// back. A clock that is behind only makes a pass do it later. If the store has not answered for as long as the
// tolerance, it fails as well: the clock may have been set since.
func (w *Worker) requireClock() error {
	told, known := w.queue.StoreTime()
	if !known {
		return errors.New("the store has not told its time yet")
	}
	if now := time.Now(); now.Sub(told) > domain.ClockTolerance {
		return fmt.Errorf("the clock of this machine shows %s, and the last answer of the store was dated %s: "+
			"if the store answers, set this clock, since a pass would delete accounts too early",
			now.UTC().Format(time.RFC3339), told.UTC().Format(time.RFC3339))
	}
	return nil
}

// A watermark is a time before which every queued message has been received at least
// once, by this worker or another, as far as this worker has seen. It rests on the
// queue being a queue: nearly in order. If a message is much later than those that
// were sent after it, the reconciling pass may send a copy, which does no harm. A
// watermark is safe for concurrent use.
type watermark struct {
	mu sync.Mutex
	at time.Time
}

// note takes in what a fetch received that began at the given time. If it is nothing,
// the queue held no visible message: all have been received. A first delivery tells
// that those queued before it have been received.
func (w *watermark) note(asked time.Time, received []driver.Message) {
	asked = domain.Storable(asked) // without the monotonic reading: stored times have none
	if len(received) == 0 {
		w.raise(asked, asked)
		return
	}
	for _, m := range received {
		message, err := domain.DecodeMessage(m.Text)
		if err != nil || m.Deliveries != 1 {
			continue
		}
		if message.QueuedOn.After(asked) { // the sender's clock is ahead of this worker's
			message.QueuedOn = asked
		}
		w.raise(message.QueuedOn, asked)
	}
}

func (w *watermark) raise(to, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if to.After(w.at) || w.at.After(now) { // the clock was set back since
		w.at = to
	}
}

// time returns the watermark. It is zero at first.
func (w *watermark) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}
