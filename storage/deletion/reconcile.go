package deletion

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
)

// Reconciled counts what a worker mends in addition to deletions.
type Reconciled struct {
	// Requeued is the number of deletions put on the queue again.
	Requeued int
	// Ungated is the number of active rows found without a gate, and deleted.
	Ungated int
	// Expired is the number of sessions, sign-in links and counters removed.
	Expired int
	// Pruned is the number of records of deletions and of entries of users' lists removed.
	Pruned int
}

// Reconcile is the reconciling pass: it replaces messages that were lost. It looks at the
// open deletions and at nothing else (open.go). It queues a deletion again if that
// is not poisoned and its message was lost: if every message that was queued before
// handedOut has been received once, and the deletion has made no progress since the time of
// patience before that. The failure of one deletion does not keep it from the others; all
// failures are joined.
//
// A lost deletion takes the same way as any other, since Reconcile only puts its
// message on the queue.
func (s Steps) Reconcile(ctx context.Context, patience time.Duration, handedOut time.Time) (Reconciled, error) {
	p := &pass{Steps: s, since: handedOut.Add(-patience)}
	err := p.lookAtOpen(ctx)
	return Reconciled{Requeued: int(p.requeued.Load()), Ungated: int(p.ungated.Load())}, err
}

// RequeueDeletion queues a deletion again if it is stalled, and reports whether it did.
// First it claims the deletion by dating its row, so that of several passes only one
// queues it. If the process dies in between, a later pass finds the deletion stalled
// again. The deletion waits on the queue then, so that the new message is given time to
// be received. While no worker has received a message of it, each is delayed for the whole time to
// undo, whatever our clock says.
func (s Steps) RequeueDeletion(ctx context.Context, of domain.Message, since time.Time) (bool, error) {
	var claimed domain.Deletion
	lost := false
	delay := time.Duration(0)
	err := s.UpdateRecord(ctx, of, func(d *domain.Deletion) bool {
		claimed, delay = *d, 0
		if d.State == domain.DeletionPending { // no worker has received it: it can be undone until one does
			delay = d.Message().Delay()
		} else {
			d.State = domain.DeletionQueued
		}
		lost = Stalled(claimed, since)
		return lost
	})
	if err != nil || !lost {
		return false, err
	}
	if err := s.enqueueAfter(ctx, claimed.Message(), delay); err != nil {
		return false, fmt.Errorf("queueing the deletion of channel %s again: %w", of.Channel, err)
	}
	return true, nil
}
