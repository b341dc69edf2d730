package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A Backlog is what waits for a worker or for an operator. It is read for an operator who
// asks again and again, so its cost is bounded: at most maxBacklog index rows, and the
// records of backlogLooks of them.
type Backlog struct {
	// Open is how many deletions were accepted and are not at their end. Those in poison do
	// not count. It is maxBacklog if there are more. Of more than backlogLooks, those that
	// ended within the last minutes may count too.
	Open int
	// Oldest is when the oldest of them was asked for. It is zero if there is none. One that was
	// asked for by a clock that was ahead is as old as it is ahead.
	Oldest time.Time
	// Messages and Poisoned are the lengths of the queue and of the poison queue, about.
	Messages, Poisoned int64
}

const (
	// maxBacklog is how many open deletions are counted.
	maxBacklog = 1000
	// backlogLooks is how many of them are looked at.
	backlogLooks = 64
)

// Backlog reads what waits.
func (s *Store) Backlog(ctx context.Context) (b Backlog, err error) {
	if b.Messages, err = s.queue.Length(ctx); err != nil {
		return Backlog{}, fmt.Errorf("backlog: %w", err)
	}
	if b.Poisoned, err = s.poison.Length(ctx); err != nil {
		return Backlog{}, fmt.Errorf("backlog: %w", err)
	}
	var indexed []driver.Entity
	for row, err := range s.deletions.All(ctx, driver.Scan{From: schema.OpenPrefix, To: schema.PrefixEnd(schema.OpenPrefix)}) {
		if err != nil {
			return Backlog{}, fmt.Errorf("backlog: %w", err)
		}
		if indexed = append(indexed, row); len(indexed) == maxBacklog {
			break
		}
	}
	slices.SortFunc(indexed, func(a, b driver.Entity) int {
		return a.Properties.Time(schema.PropRequestedOn).Compare(b.Properties.Time(schema.PropRequestedOn))
	})
	looked := min(len(indexed), backlogLooks)
	asked := make([]time.Time, looked)
	for from := 0; from < looked; from += openFlight {
		if err := s.lookWhenAsked(ctx, indexed[from:min(from+openFlight, looked)], asked[from:]); err != nil {
			return Backlog{}, fmt.Errorf("backlog: %w", err)
		}
	}
	b.Open = len(indexed) - looked
	for _, on := range asked {
		if on.IsZero() {
			continue
		}
		b.Open++
		if ahead := time.Until(on); ahead > 0 { // by a clock that was wrong: it must not look young
			on = on.Add(-2 * ahead)
		}
		if b.Oldest.IsZero() || on.Before(b.Oldest) {
			b.Oldest = on
		}
	}
	return b, nil
}

// lookWhenAsked finds out when the deletions that these index rows are about were asked
// for, all at once. It is zero for one that is not open.
func (s *Store) lookWhenAsked(ctx context.Context, indexed []driver.Entity, asked []time.Time) error {
	looks := make([]func(context.Context) error, len(indexed))
	for i, index := range indexed {
		looks[i] = func(ctx context.Context) (err error) {
			asked[i], err = s.whenAsked(ctx, index)
			return err
		}
	}
	return s.AtOnce(ctx, looks[0], looks[1:]...)
}

// whenAsked is lookWhenAsked for one of them.
func (s *Store) whenAsked(ctx context.Context, index driver.Entity) (time.Time, error) {
	ref := schema.ParseRefRow(index.Row)
	record, err := s.deletions.Get(ctx, schema.ChannelPartition(ref.Key), schema.DeletionRow(ref.Incarnation))
	if errors.Is(err, domain.ErrNotFound) {
		return s.whenMarked(ctx, index, ref)
	}
	if err != nil {
		return time.Time{}, err
	}
	switch d := decodeDeletion(record); d.State {
	case domain.DeletionDone, domain.DeletionPoisoned:
		return time.Time{}, nil
	default:
		return d.RequestedOn, nil
	}
}

// whenMarked is whenAsked for a deletion without a record. If the channel is not marked,
// the request is under way or has died, and nothing was promised to anybody.
func (s *Store) whenMarked(ctx context.Context, index driver.Entity, ref domain.ChannelRef) (time.Time, error) {
	row, err := s.readIncarnation(ctx, ref)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	case row.State != domain.ChannelDeleting:
		return time.Time{}, nil
	}
	return index.Properties.Time(schema.PropRequestedOn), nil
}

// maxSessionCount is where CountSessions stops to count.
const maxSessionCount = 5000

// CountSessions counts the sessions and the sign-in links whose time has not come, and stops
// at 5,000. One that was signed out counts until its time.
func (s *Store) CountSessions(ctx context.Context) (int, error) {
	n := 0
	for row, err := range s.sessions.All(ctx, driver.Scan{}) {
		if err != nil {
			return 0, fmt.Errorf("counting sessions: %w", err)
		}
		if row.Properties.String(schema.PropUser) == "" || !time.Now().Before(row.Properties.Time(schema.PropExpiresOn)) {
			continue // an idempotency key, or what has ended
		}
		if n++; n == maxSessionCount {
			break
		}
	}
	return n, nil
}
