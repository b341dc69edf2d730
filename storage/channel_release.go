package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// ReleaseName deletes the channel's row, in a version that is marked, and so
// frees the name. Another incarnation's row is left alone.
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
