package channel

import (
	"context"
	"errors"
	"fmt"

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
		//lab: Delete the channel's row in the version that was read: that frees the name.
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

// Mark marks a channel in the version that was read, or returns optimistic.ErrAgain. The index row
// of the deletion must have been renewed since that read.
func (s *Lifecycle) Mark(ctx context.Context, row Row) error {
	//lab: Mark the channel as being deleted, in the version that was read.
	return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(row.Key()),
		driver.Merge(schema.SingleRow, driver.Match(row.ETag), driver.String(schema.PropState, domain.ChannelDeleting))))
}
