package worker

import (
	"context"
	"errors"
	"time"

	"microblogging/storage"
)

// quietLeases is how many leases a deletion may show no progress before the
// reconciling pass queues it again.
const quietLeases = 3

// expireEvery is the time between two removals of what has expired.
const expireEvery = 24 * time.Hour

// Patience is how long a deletion may show no progress before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }

// reconcile makes reconciling passes until ctx ends. Each worker makes its own: two at once
// do no harm. The first, and then one a day, also removes what has expired.
func (w *Worker) reconcile(ctx context.Context) {
	var expired time.Time
	for pauseFor(ctx, jitter(w.Reconcile)) {
		err := guarded(func() error { return w.pass(ctx, &expired) })
		if err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "reconciling pass", "error", err)
		}
	}
}

// pass makes one reconciling pass: first the deletions, and then what has expired, if it was
// last removed a day ago. The failure of one does not keep it from the other.
func (w *Worker) pass(ctx context.Context, expired *time.Time) (failures error) {
	var done storage.Reconciled
	ctx, ended := w.Observer.Pass(ctx)
	defer func() { ended(done, failures) }()
	done, failures = w.store.Reconcile(ctx, Patience(w.Lease), w.handedOut.time())
	if time.Since(*expired) >= expireEvery {
		began := time.Now()
		var err error
		if done.Expired, err = w.store.Expire(ctx); err == nil {
			*expired = began
		}
		failures = errors.Join(failures, err)
	}
	if done != (storage.Reconciled{}) {
		w.Log.InfoContext(ctx, "reconciling pass", "requeued", done.Requeued, "ungated", done.Ungated, "expired", done.Expired)
	}
	return failures
}
