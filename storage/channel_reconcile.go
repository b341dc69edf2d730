package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Reconciled counts what one reconciling pass did.
type Reconciled struct {
	// Requeued is the number of deletions put on the queue again.
	Requeued int
	// Ungated is the number of active rows found without a gate, and deleted.
	Ungated int
	// Expired is the number of sessions, sign-in links and counters removed.
	Expired int
}

// Reconcile is the reconciling pass: it replaces messages that were lost. It reads
// every channel once. It queues a deletion again if that is not poisoned and its message
// was lost: if every message that was queued before handedOut has been received once, and
// the deletion has made no progress since the time of patience before that. It deletes an
// active row without gates.
// Last it deletes sessions and counters that have expired, a bounded number, so that
// the next pass is not late. The failure of one channel does not keep it from the
// others; all failures are joined.
//
// A lost deletion takes the same way as any other, since Reconcile only puts its
// message on the queue.
func (s *Store) Reconcile(ctx context.Context, patience time.Duration, handedOut time.Time) (Reconciled, error) {
	since := handedOut.Add(-patience)
	var done Reconciled
	var failures error
	for row, err := range s.channels.All(ctx, driver.Scan{}) {
		if err != nil {
			return done, errors.Join(failures, fmt.Errorf("reading the channels: %w", err))
		}
		channel := decodeChannel(row)
		if err := s.reconcileChannel(ctx, channel, since, &done); err != nil {
			failures = errors.Join(failures, fmt.Errorf("channel %s: %w", channel.Key(), err))
		}
	}
	for _, table := range []*driver.Table{s.sessions, s.throttle} {
		n, err := removeExpired(ctx, table)
		done.Expired += n
		failures = errors.Join(failures, err)
	}
	return done, failures
}

func (s *Store) reconcileChannel(ctx context.Context, row channelRow, since time.Time, done *Reconciled) error {
	if row.State == domain.ChannelDeleting {
		requeued, err := s.requeueStalled(ctx, row, since)
		if requeued {
			done.Requeued++
		}
		return err
	}
	ungated, err := s.reclaimChannel(ctx, row)
	if ungated {
		done.Ungated++
	}
	return err
}

// requeueStalled queues the deletion of a marked channel again if it is stalled, and
// reports whether it did. If the deletion is done, the row landed after it and was
// marked then: nothing is left to do but to release the name.
func (s *Store) requeueStalled(ctx context.Context, row channelRow, since time.Time) (bool, error) {
	message := channelMessage(row.Channel, row.Owner)
	if err := s.OpenDeletion(ctx, message); err != nil {
		return false, err
	}
	record, err := s.deletions.Get(ctx, partitionOf(row.Key()), deletionRow(row.Incarnation))
	switch {
	case err != nil:
		return false, err
	case decodeDeletion(record).State == domain.DeletionDone:
		return false, s.ReleaseName(ctx, row.Ref())
	}
	return s.requeueDeletion(ctx, message, since)
}

// requeueDeletion queues a deletion again if it is stalled, and reports whether it did.
// First it claims the deletion by dating its row, so that of several passes only one
// queues it. If the process dies in between, a later pass finds the deletion stalled
// again. The deletion waits on the queue then, so that the new message is given time to
// be received.
func (s *Store) requeueDeletion(ctx context.Context, of domain.Message, since time.Time) (bool, error) {
	var claimed domain.Deletion
	err := s.updateDeletion(ctx, of.Channel, deletionRowOf(of), func(d *domain.Deletion) bool {
		claimed = *d
		d.State = domain.DeletionQueued
		return stalled(claimed, since)
	})
	if err != nil || !stalled(claimed, since) {
		return false, err
	}
	if err := s.enqueue(ctx, claimed.Message()); err != nil {
		return false, fmt.Errorf("queueing the deletion of channel %s again: %w", of.Channel, err)
	}
	return true, nil
}
