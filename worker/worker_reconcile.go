package worker

import (
	"context"
	"time"

	"microblogging/storage"
)

// Patience is how long a deletion may show no sign of life before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }

// reconcile runs the reconciling pass from time to time.
func (w *Worker) reconcile(ctx context.Context) {
	for pauseFor(ctx, jitter(w.Reconcile)) {
		done, err := w.store.Reconcile(ctx, Patience(w.Lease))
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
