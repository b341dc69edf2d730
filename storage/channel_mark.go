package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// MarkDeleting marks the channel as being deleted, which hides it from readers. It
// reports whether this incarnation's row is there. The web role calls it when a
// deletion is asked for, and the worker again as its first step.
func (s *Store) MarkDeleting(ctx context.Context, ref domain.ChannelRef) (present bool, err error) {
	err = s.contend(ctx, func() error {
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
		err = s.channels.Transact(ctx, partitionOf(ref.Key),
			driver.Merge(singleRow, driver.Match(row.etag), driver.String(propState, domain.ChannelDeleting)))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	return present, err
}
