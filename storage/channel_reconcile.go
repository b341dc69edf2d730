package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The reconciling pass: what finds the intents that messages lost. It is the same
// code path as the happy case, for it only puts messages on the queue.

// Reconciled counts what one reconciling pass did.
type Reconciled struct {
	// Requeued is the number of deletions put on the queue again.
	Requeued int
	// Ungated is the number of rows taken back that a creation left without a
	// gate.
	Ungated int
	// Expired is the number of sessions and counters removed.
	Expired int
}

// Tend looks at every channel once. A deletion that has shown no sign of life
// for the given time, and is not poisoned, is queued again; an active row
// without gates is deleted. Then it removes what has expired. One channel's
// failure does not keep it from the others.
func (s *Store) Reconcile(ctx context.Context, patience time.Duration) (Reconciled, error) {
	var done Reconciled
	var failures error
	for row, err := range s.channels.All(ctx, driver.Scan{}) {
		if err != nil {
			return done, errors.Join(failures, fmt.Errorf("reading the channels: %w", err))
		}
		channel := decodeChannel(row)
		if err := s.reconcileChannel(ctx, channel, patience, &done); err != nil {
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

func (s *Store) reconcileChannel(ctx context.Context, row channelRow, patience time.Duration, done *Reconciled) error {
	if row.State == domain.ChannelDeleting {
		requeued, err := s.requeueStalled(ctx, row, patience)
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

// requeueStalled queues a marked channel's deletion again if it is stalled. If it
// is done, the row landed after that and was marked then: nothing is left to do
// but to release the name.
func (s *Store) requeueStalled(ctx context.Context, row channelRow, patience time.Duration) (bool, error) {
	if err := s.OpenDeletion(ctx, channelMessage(row.Channel, row.Owner)); err != nil {
		return false, err
	}
	record, err := s.deletions.Get(ctx, partitionOf(row.Key()), deletionRow(row.Incarnation))
	switch {
	case err != nil:
		return false, err
	case decodeDeletion(record).State == domain.DeletionDone:
		return false, s.ReleaseName(ctx, row.Ref())
	}
	return s.requeueDeletion(ctx, row.Ref(), time.Now().Add(-patience))
}

// requeueDeletion claims a deletion that is stalled since the given time, by
// dating its row, so that several sweepers do not all queue it, and then queues
// it. Died in between: the next sweep finds it stalled again.
func (s *Store) requeueDeletion(ctx context.Context, ref domain.ChannelRef, since time.Time) (bool, error) {
	var claimed domain.Deletion
	err := s.UpdateDeletion(ctx, ref, func(d *domain.Deletion) bool {
		claimed = *d
		return stalled(*d, since)
	})
	if err != nil || !stalled(claimed, since) {
		return false, err
	}
	message := domain.Message{
		Kind:        domain.MessageChannel,
		Channel:     ref.Key,
		Incarnation: ref.Incarnation,
		Name:        claimed.Name,
		By:          claimed.RequestedBy,
		AskedOn:     claimed.RequestedOn,
	}
	if err := s.queue.Send(ctx, message.Encode()); err != nil {
		return false, fmt.Errorf("queueing the deletion of channel %s again: %w", ref.Key, err)
	}
	return true, nil
}
