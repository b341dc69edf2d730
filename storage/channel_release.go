package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// ReleaseName deletes the channel's row, which frees the name. A row that is gone,
// or of another incarnation, is no error and is left alone. A row that is not
// marked as being deleted is domain.ErrConflict.
func (s *Store) ReleaseName(ctx context.Context, ref domain.ChannelRef) error {
	return s.contend(ctx, func() error {
		row, err := s.readIncarnation(ctx, ref)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil
		case err != nil:
			return err
		case row.State != domain.ChannelDeleting:
			return fmt.Errorf("releasing channel %s, which is not marked: %w", ref.Key, domain.ErrConflict)
		}
		err = s.channels.Transact(ctx, partitionOf(ref.Key), driver.Delete(singleRow, driver.Match(row.etag)))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
}
