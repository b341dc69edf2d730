package fence

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

// ReleaseName deletes the channel's row, which frees the name. If the row is gone or belongs to
// another incarnation, ReleaseName does nothing and returns nil. A row that a delayed duplicate of
// the insert has brought back, which has no gate, is deleted as well. Any other row that is not past
// the pivot means that the deletion has skipped a step: domain.ErrConflict.
func (s *Fence) ReleaseName(ctx context.Context, ref domain.ChannelRef) error {
	return s.pause.Retry(ctx, func() error {
		row, err := s.ReadIncarnation(ctx, ref)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil
		case err != nil:
			return err
		case row.State != domain.ChannelDeleting: // a delayed insert has brought it back, or a step was skipped
			return s.reclaimOr(ctx, row, fmt.Errorf("releasing channel %s, whose row is not past the pivot: %w", row.Key(), domain.ErrConflict))
		}
		//lab: Delete the channel's row.
		return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(ref.Key), driver.Delete(schema.SingleRow, driver.Match(row.ETag))))
	})
}

// SetPending sets a channel pending in the version that was read, or returns optimistic.ErrAgain. From then on
// no page shows the channel. The deletion can be undone until a worker passes the pivot. until is for readers
// of the row; users are told the time of the record, which may differ (ask.go of package deletion). With the
// zero time, SetPending passes the pivot itself. The index row of the deletion must have been renewed since the
// row was read.
func (s *Fence) SetPending(ctx context.Context, row Row, until time.Time) error {
	if until.IsZero() {
		return s.SetDeleting(ctx, row)
	}
	//lab: Change the channel's row to pending.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelPending), driver.Time(schema.PropUndoableUntil, until))
}

// SetDeleting takes a channel past the pivot, in the version that was read, or returns
// optimistic.ErrAgain. After that, the deletion cannot be undone. The gate must not be touched
// before.
func (s *Fence) SetDeleting(ctx context.Context, row Row) error {
	//lab: Change the channel's row to deleting.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelDeleting))
}

// SetActive makes a channel active that is not past the pivot, in the version that was read, or
// returns optimistic.ErrAgain. It increments the channel's undo count, and workers ignore
// messages with another count.
func (s *Fence) SetActive(ctx context.Context, row Row) error {
	//lab: Make the channel active, with one more undo.
	return s.swap(ctx, row, driver.String(schema.PropState, domain.ChannelActive), driver.Int64(schema.PropUndoCount, row.UndoCount+1))
}

// swap changes a channel's row in the version that was read, or returns optimistic.ErrAgain.
func (s *Fence) swap(ctx context.Context, row Row, changes ...driver.Property) error {
	return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(row.Key()),
		driver.Merge(schema.SingleRow, driver.Match(row.ETag), changes...)))
}
