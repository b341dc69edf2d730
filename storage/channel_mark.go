package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// MarkDeleting hides the channel from readers and reports whether this
// incarnation's row is there at all. It is the mark of the web role and the
// second step of the worker.
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
