package deletion

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A store that was restored from a backup has channels again whose deletion was accepted
// after the backup. Their Deletions rows say so, if a later copy of that table is left: a
// row is there before its deletion is acknowledged, and stays for months (prune.go). So each of them
// is asked for again, with the writes of Request and in the same order. The record names the
// incarnation, so nothing happens to a channel that has the name otherwise.
//
// The channel may have come back from before an undo that the later copy knows of, with the message of the
// request that was undone. So it is first given as many undos as the record counts: otherwise that message
// would delete the channel before the time that the record says.

// DeletionRecords returns each Deletions row that is about a channel or an account, without its steps, to be
// kept for RepeatDeletions (package erasure). If the row of the channel or of the account says that the deletion
// was undone, or a later request for it, so does the record that is returned: the process may have died before it
// wrote that.
func (s Steps) DeletionRecords(ctx context.Context) (records []domain.Deletion, err error) {
	for row, err := range s.deletions.All(ctx, driver.Scan{}) {
		if err != nil {
			return nil, fmt.Errorf("reading the deletions: %w", err)
		}
		if err := schema.Deletion.CheckWords(row); err != nil {
			return nil, err // it may be a deletion that must come back
		}
		if schema.Of(schema.TableDeletions, row.Partition, row.Row) != schema.Deletion {
			continue
		}
		d := Decode(row)
		d.StepLog = nil
		records = append(records, s.goByRow(ctx, d))
	}
	return records, nil
}

// goByRow returns a record as the row of its channel or account corrects it. A request that died after its message
// and was undone has no record, and the record is that of an earlier request. If the row cannot be read, the record
// counts: this store may be damaged.
func (s Steps) goByRow(ctx context.Context, d domain.Deletion) domain.Deletion {
	if d.State == domain.DeletionDone {
		return d
	}
	if user := d.Channel.Key.AccountOf(); user != "" {
		entry, err := s.accounts.Entry(ctx, user)
		if err == nil && entry.State != domain.AccountGone && !entry.Leaves(d.Channel.Incarnation) {
			d.State = domain.DeletionUndone
		}
		return d
	}
	row, err := s.fence.ReadIncarnation(ctx, d.Channel)
	if err == nil && row.UndoCount > d.UndoCount {
		d.State, d.UndoCount = domain.DeletionUndone, row.UndoCount-1
	}
	return d
}

// RepeatDeletion asks for the deletion of a channel again, with its own time to undo, if the incarnation is there,
// is not being deleted and has no later undo. Without a time to undo, it also ends that of a channel which came
// back pending. It reports whether it has asked.
func (s Steps) RepeatDeletion(ctx context.Context, m domain.Message) (asked bool, err error) {
	row, err := s.undoBefore(ctx, m.Ref(), m.UndoCount)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case row.State == domain.ChannelDeleting, row.UndoCount > m.UndoCount: // the row decides whether it was undone
		return false, nil
	case row.State == domain.ChannelPending && !m.UndoableUntil.IsZero(): // by this request
		return false, nil
	}
	return true, s.acceptDeletion(ctx, row, m)
}

// RepeatUndo undoes the deletion of a channel again that came back as it was before the undo. One that is past
// the pivot, or was requested after the undo, goes on.
func (s Steps) RepeatUndo(ctx context.Context, m domain.Message) error {
	row, err := s.undoBefore(ctx, m.Ref(), m.UndoCount+1)
	if err == nil && row.State != domain.ChannelDeleting {
		var d domain.Deletion // as it came back, maybe of an earlier request
		if d, err = s.record(ctx, m.Ref()); err == nil && d.UndoCount <= m.UndoCount {
			err = s.RecordUndone(ctx, d.Message())
		}
	}
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// undoBefore undoes each request to delete a channel that came before so many undos, if there were fewer: also
// one that has not set the row pending, but may have sent its message. It returns the row as it is then. Past
// the pivot, it changes nothing.
func (s Steps) undoBefore(ctx context.Context, ref domain.ChannelRef, undos int64) (row fence.Row, err error) {
	err = s.pause.Retry(ctx, func() (err error) {
		row, err = s.fence.ReadIncarnation(ctx, ref)
		if err != nil || row.State == domain.ChannelDeleting || row.UndoCount >= undos {
			return err
		}
		row.UndoCount = undos - 1                                       // in one write, however many they are
		return cmp.Or(s.fence.SetActive(ctx, row), optimistic.ErrAgain) // to read its version
	})
	return row, err
}
