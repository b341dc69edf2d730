package deletion

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A store that was restored from a backup has channels again whose deletion was accepted
// after the backup. Their Deletions rows say so, if a later copy of that table is left: a
// row is there before its deletion is acknowledged, and stays. So each of them is asked for
// again, with the writes of Request and in the same order. The record names the
// incarnation, so nothing happens to a channel that has the name otherwise.

// DeletionRecords returns each Deletions row that is about a channel or an account, without its steps, to be
// kept for RepeatDeletions (package erasure).
func (s Steps) DeletionRecords(ctx context.Context) (records []domain.Deletion, err error) {
	for row, err := range s.deletions.All(ctx, driver.Scan{}) {
		if err != nil {
			return nil, fmt.Errorf("reading the deletions: %w", err)
		}
		if schema.Of(schema.TableDeletions, row.Partition, row.Row) == schema.Deletion {
			d := Decode(row)
			d.StepLog = nil
			records = append(records, d)
		}
	}
	return records, nil
}

// RepeatDeletion asks for the deletion of a channel again, if its incarnation is there and
// is not being deleted. It reports whether it is there.
func (s Steps) RepeatDeletion(ctx context.Context, m domain.Message) (found bool, err error) {
	row, err := s.fence.ReadIncarnation(ctx, m.Ref())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case row.State != domain.ChannelActive, row.UndoCount > m.UndoCount: // the row decides whether it was undone
		return false, nil
	}
	m.UndoCount = row.UndoCount
	return true, s.acceptDeletion(ctx, row, m)
}

// RepeatUndo undoes the deletion of a channel again that came back as it was before the undo. A channel with a
// higher undo count has it.
func (s Steps) RepeatUndo(ctx context.Context, m domain.Message) error {
	err := s.pause.Retry(ctx, func() error {
		row, err := s.fence.ReadIncarnation(ctx, m.Ref())
		if err != nil || row.State == domain.ChannelDeleting || row.UndoCount > m.UndoCount {
			return err
		}
		m.UndoCount = row.UndoCount
		return s.fence.SetActive(ctx, row)
	})
	if err == nil {
		err = s.RecordUndone(ctx, m)
	}
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}
