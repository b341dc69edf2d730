package worker

import (
	"context"
	"time"

	"microblogging/storage"
)

// quietLeases is how many leases a deletion may show no progress before the
// reconciling pass queues it again.
const quietLeases = 3

// Patience is how long a deletion may show no progress before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }

// reconcile runs a reconciling pass at each interval of Reconcile until ctx
// ends.
func (w *Worker) reconcile(ctx context.Context) {
	for pauseFor(ctx, jitter(w.Reconcile)) {
		var done storage.Reconciled
		err := guarded(func() (err error) {
			done, err = w.store.Reconcile(ctx, Patience(w.Lease), w.handedOut.time())
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.Log.WarnContext(ctx, "reconciling pass", "error", err)
		case done != storage.Reconciled{}:
			w.Log.InfoContext(ctx, "reconciling pass", "requeued", done.Requeued, "ungated", done.Ungated, "expired", done.Expired)
		}
	}
}
