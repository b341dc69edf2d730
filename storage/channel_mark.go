package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// MarkDeleting marks the channel as being deleted, which hides it from readers. It
// reports whether this incarnation's row is there. The web role calls it when a
// deletion is asked for, and the worker again as its first step. A deletion is on the index
// before its channel is marked (deletion_open.go).
func (s *Store) MarkDeleting(ctx context.Context, ref domain.ChannelRef) (present bool, err error) {
	err = s.pause.Retry(ctx, func() error {
		row, err := s.readIncarnation(ctx, ref)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			present = false
			return nil
		case err != nil:
			return err
		}
		present = true
		if row.State == domain.ChannelDeleting {
			return nil
		}
		if err := s.renewOpen(ctx, ref); err != nil {
			return err
		}
		return s.mark(ctx, row)
	})
	return present, err
}

// mark marks a channel in the version that was read, or returns optimistic.ErrAgain. The index row
// of the deletion must have been renewed since that read.
func (s *Store) mark(ctx context.Context, row channelRow) error {
	//lab: Mark the channel as being deleted, in the version that was read.
	return optimistic.Again(s.channels.Transact(ctx, schema.ChannelPartition(row.Key()),
		driver.Merge(schema.SingleRow, driver.Match(row.etag), driver.String(schema.PropState, domain.ChannelDeleting))))
}
