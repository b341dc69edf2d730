package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// ReleaseName deletes the channel's row, which frees the name. A row that is gone, or of another
// incarnation, is no error and is left alone. One that a late copy of the insert brought back is no
// error either: it is deleted. A row behind its gate that is not marked as being deleted is
// domain.ErrConflict.
func (s *Lifecycle) ReleaseName(ctx context.Context, ref domain.ChannelRef) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.ReadIncarnation(ctx, ref)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil
		case err != nil:
			return err
		case row.State != domain.ChannelDeleting:
			return s.releaseActive(ctx, row)
		}
		//lab: Delete the channel's row.
		return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.SingleRow, driver.Match(row.ETag))))
	})
}

// releaseActive handles the row of an incarnation that is swept, and is active: a late
// copy of its insert has landed. It deletes the row as whoever wants the name would, and
// is optimistic.ErrAgain then. If the gate stands, the deletion has skipped a step, which is
// domain.ErrConflict.
func (s *Lifecycle) releaseActive(ctx context.Context, row Row) error {
	switch ungated, err := s.Reclaim(ctx, row); {
	case err != nil:
		return err
	case ungated:
		return optimistic.ErrAgain
	}
	return fmt.Errorf("releasing channel %s, which is not marked: %w", row.Key(), domain.ErrConflict)
}

// Mark marks a channel in the version that was read, or returns optimistic.ErrAgain. Nobody reads it
// from then on. Until the time, it is only pending: it can be undone, until a worker takes it past
// the pivot. With the zero time it is past it at once. The index row of the deletion must have been
// renewed since the row was read.
func (s *Lifecycle) Mark(ctx context.Context, row Row, until time.Time) error {
	if until.IsZero() {
		return s.Pivot(ctx, row)
	}
	//lab: Mark the channel as about to be deleted.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelPending), driver.Time(schema.PropUndoableUntil, until))
}

// Pivot takes a channel past the pivot, in the version that was read: no undo comes after it.
// The gate must not be touched before.
func (s *Lifecycle) Pivot(ctx context.Context, row Row) error {
	//lab: Mark the channel as being deleted.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelDeleting))
}

// Unmark makes a channel active that is not past the pivot, in the version that was read. It
// counts, so no message that was sent before asks for anything any more.
func (s *Lifecycle) Unmark(ctx context.Context, row Row) error {
	//lab: Make the channel active again.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelActive), driver.Int64(schema.PropUndone, row.Undone+1))
}

// swap changes a channel's row in the version that was read, or returns optimistic.ErrAgain.
func (s *Lifecycle) swap(ctx context.Context, row Row, changes ...driver.Property) error {
	return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(row.Key()),
		driver.Merge(schema.SingleRow, driver.Match(row.ETag), changes...)))
}
