package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
)

// The slow sweep: what finds the intents that messages lost. It is the same
// code path as the happy case, for it only puts messages on the queue.

// Upkeep counts what one slow sweep did.
type Upkeep struct {
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
func (s *Store) Tend(ctx context.Context, patience time.Duration) (Upkeep, error) {
	var done Upkeep
	var failures error
	for row, err := range s.channels.All(ctx, Scan{}) {
		if err != nil {
			return done, errors.Join(failures, fmt.Errorf("reading the channels: %w", err))
		}
		channel := decodeChannel(row)
		if err := s.tendChannel(ctx, channel, patience, &done); err != nil {
			failures = errors.Join(failures, fmt.Errorf("channel %s: %w", channel.Key(), err))
		}
	}
	for _, table := range []*Table{s.sessions, s.throttle} {
		n, err := removeExpired(ctx, table)
		done.Expired += n
		failures = errors.Join(failures, err)
	}
	return done, failures
}

func (s *Store) tendChannel(ctx context.Context, row channelRow, patience time.Duration, done *Upkeep) error {
	if row.State == domain.ChannelDeleting {
		requeued, err := s.requeueStalled(ctx, row, patience)
		if requeued {
			done.Requeued++
		}
		return err
	}
	ungated, err := s.takeBackUngated(ctx, row)
	if ungated {
		done.Ungated++
	}
	return err
}

// requeueStalled queues a marked channel's deletion again if it is stalled.
func (s *Store) requeueStalled(ctx context.Context, row channelRow, patience time.Duration) (bool, error) {
	if err := s.OpenDeletion(ctx, channelMessage(row.Channel, row.Owner)); err != nil {
		return false, err
	}
	requeued, err := s.requeueDeletion(ctx, row.Ref(), time.Now().Add(-patience))
	if err != nil || requeued {
		return requeued, err
	}
	return false, s.releaseDone(ctx, row.Ref())
}

// releaseDone deletes a marked row whose deletion is done: an insert that was
// re-sent and landed after the whole deletion, and was marked by somebody who
// had asked for that. Both gates are gone, so that nothing can hang from it, and
// no message is left that would lead a worker here.
func (s *Store) releaseDone(ctx context.Context, ref domain.ChannelRef) error {
	row, err := s.deletions.Get(ctx, partitionOf(ref.Key), deletionRow(ref.Incarnation))
	if err != nil || decodeDeletion(row).State != domain.DeletionDone {
		return err
	}
	return s.ReleaseName(ctx, ref)
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
	return true, s.queue.Send(ctx, message.Encode())
}

// removeExpired deletes the rows of a table whose time has come, each in the
// version that was read.
func removeExpired(ctx context.Context, table *Table) (int, error) {
	removed := 0
	now := time.Now()
	for row, err := range table.All(ctx, Scan{}) {
		if err != nil {
			return removed, fmt.Errorf("reading what has expired: %w", err)
		}
		if now.Before(row.Properties.Time(propExpiresOn)) {
			continue
		}
		switch err := table.Transact(ctx, row.Partition, Delete(row.Row, Match(row.ETag))); {
		case err == nil:
			removed++
		case !raced(err):
			return removed, fmt.Errorf("removing what has expired: %w", err)
		}
	}
	return removed, nil
}
