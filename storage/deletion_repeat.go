package storage

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A store that was restored from a backup has channels again whose deletion was accepted
// after the backup. Their Deletions rows say so, if a later copy of that table is left: a
// row is there before its deletion is acknowledged, and stays. So each of them is asked for
// again, with the writes of AskDeletion and in the same order. The record names the
// incarnation, so nothing happens to a channel that has the name otherwise.

// DeletionRecords streams the Deletions rows, to be kept for RepeatDeletions.
func (s *Store) DeletionRecords(ctx context.Context) iter.Seq2[driver.Entity, error] {
	return s.deletions.All(ctx, driver.Scan{})
}

// RepeatDeletions asks again for the deletion of each channel that one of the Deletions
// rows is about and that can still be read. It returns how many it found. Rows about
// anything else are left out. The deletion is listed for whoever asked for it, under the
// time of the first request. It may be called again after an error, and beside everything
// else.
func (s *Store) RepeatDeletions(ctx context.Context, records iter.Seq2[driver.Entity, error]) (repeated int, err error) {
	for record, err := range records {
		if err != nil {
			return repeated, fmt.Errorf("reading the deletions: %w", err)
		}
		if record.Partition == unreadPartition || isOpenPartition(record.Partition) || isLesson(record.Row) {
			continue
		}
		d := decodeDeletion(record)
		if d.Blog != "" {
			continue // of posts, only those that were poisoned have a record
		}
		found, err := s.RepeatDeletion(ctx, d)
		if err != nil {
			return repeated, fmt.Errorf("repeating a deletion: %w", err)
		}
		if found {
			repeated++
		}
	}
	return repeated, nil
}

// RepeatDeletion asks for a deletion again, if its incarnation is there and is not being
// deleted. It reports whether it is.
func (s *Store) RepeatDeletion(ctx context.Context, d domain.Deletion) (found bool, err error) {
	row, err := s.readIncarnation(ctx, d.Channel)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case row.State != domain.ChannelActive:
		return false, nil
	}
	return true, s.acceptDeletion(ctx, row, d.Message())
}
