package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// takeBackUngated deletes an active row whose gates are both gone: an insert
// that was re-sent and landed after its channel had been deleted whole, or
// after its creator had given up. It reports whether the row is such.
func (s *Store) takeBackUngated(ctx context.Context, row channelRow) (ungated bool, err error) {
	_, err = s.blogs.Get(ctx, partitionOf(row.Key()), openGate(row.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	return s.removeUngated(ctx, row)
}

// removeUngated deletes a row that was seen to lack its open gate, in the
// version that was read, unless its shut gate shows that a deletion is under way.
func (s *Store) removeUngated(ctx context.Context, row channelRow) (ungated bool, err error) {
	ref := row.Ref()
	_, err = s.blogs.Get(ctx, partitionOf(ref.Key), shutGate(ref.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	err = s.channels.Transact(ctx, partitionOf(ref.Key), driver.Delete(only, driver.Match(row.etag)))
	if raced(err) {
		err = nil // gone already, or marked by a deletion, which removes it
	}
	return true, err
}
