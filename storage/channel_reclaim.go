package storage

import (
	"context"

	"microblogging/storage/driver"
)

// reclaimChannel deletes an active row whose gates are both gone: an insert
// that was re-sent and landed after its channel had been deleted whole, or
// after its creator had given up. It reports whether the row is such.
func (s *Store) reclaimChannel(ctx context.Context, row channelRow) (ungated bool, err error) {
	if open, err := s.gateStands(ctx, row.Ref()); err != nil || open {
		return false, err
	}
	return s.deleteUngated(ctx, row)
}

// deleteUngated deletes a row that was seen to lack its open gate, in the
// version that was read, unless its shut gate shows that a deletion is under way.
func (s *Store) deleteUngated(ctx context.Context, row channelRow) (ungated bool, err error) {
	ref := row.Ref()
	if shut, err := s.hasRow(ctx, ref, shutGateRow(ref.Incarnation)); err != nil || shut {
		return false, err
	}
	err = s.channels.Transact(ctx, partitionOf(ref.Key), driver.Delete(singleRow, driver.Match(row.etag)))
	if raced(err) {
		err = nil // gone already, or marked by a deletion, which removes it
	}
	return true, err
}
