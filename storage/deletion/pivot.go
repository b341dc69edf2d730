package deletion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
)

// PassPivot takes the channel past the pivot, after which a deletion cannot be undone. It is the
// first step of the cascade. It reports whether this incarnation's row exists and its deletion was not
// undone. No clock decides whether it may, because the queue has kept the message invisible while the
// owner could undo. Correctness does not depend on that: the pivot writes the row only in a version that
// has the message's undo count, and each undo increments the count.
func (s Steps) PassPivot(ctx context.Context, m domain.Message) (present bool, err error) {
	_, present, err = s.transition(ctx, m, domain.Now(), func(row fence.Row) error { return s.fence.SetDeleting(ctx, row) })
	return present, err
}

// setPendingAgain sets the channel pending for a request whose row changed after it was read. It reads
// the row again and renews the index row, and leaves a row that is pending or deleting. If the request was undone
// meanwhile, or a pass has given it up, it is domain.ErrConflict.
func (s Steps) setPendingAgain(ctx context.Context, m domain.Message) error {
	row, present, err := s.transition(ctx, m, m.Due(), func(row fence.Row) error {
		if row.State == domain.ChannelPending {
			return nil
		}
		return s.fence.SetPending(ctx, row, m.UndoableUntil)
	})
	if err == nil && !present && row.Incarnation == m.Incarnation {
		return fmt.Errorf("the deletion of channel %s was undone while it was requested: %w", m.Channel, domain.ErrConflict)
	}
	return err
}

// transition reads the channel's row, and calls swap unless the row is past the pivot. Before an active
// row is changed, the deletion is put on the index with the time at which its work is due (open.go).
// If the row's undo count is not the message's, the deletion was undone; but a row with a lower one that has no gate
// came back after the deletion, and is deleted. transition returns the row that it read last, maybe of another
// incarnation, and reports whether that is of the message's incarnation and undo count.
func (s Steps) transition(ctx context.Context, m domain.Message, due time.Time, swap func(fence.Row) error) (row fence.Row, present bool, err error) {
	err = s.pause.Retry(ctx, func() (err error) {
		row, err = s.fence.ReadIncarnation(ctx, m.Ref())
		present = err == nil && row.UndoCount == m.UndoCount
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil
		case err != nil:
			return err
		case row.UndoCount < m.UndoCount: // which an undo never lowers: a delayed insert has brought the row back, or a backup
			if ungated, err := s.fence.Reclaim(ctx, row); err != nil || ungated {
				return cmp.Or(err, optimistic.ErrAgain)
			}
			return s.RecordUndone(ctx, m)
		case !present:
			return s.RecordUndone(ctx, m)
		case row.State == domain.ChannelDeleting:
			return nil
		case row.State == domain.ChannelActive:
			if err := s.RenewOpen(ctx, m.Ref(), due); err != nil {
				return err
			}
		}
		return swap(row)
	})
	return row, present, err
}

// Undo undoes each request to delete a channel that was sent before, if one of them left a record: also one
// that died after it sent its message. It returns the channel, whose rows no worker has touched. To undo
// again is no error. Only the user who asked may, or any operator if one of them has.
//
//   - There is no such deletion: domain.ErrNotFound.
//   - The actor may not: domain.ErrForbidden.
//   - A worker has passed the pivot, or the store has lost the gate: domain.ErrTooLate.
//
// Undo and the pivot are conditional writes of the same version of the row, so only one of them
// succeeds. Undo increments the count of an active row too: a request may be under way, or may have died
// after its message, which no record shows. With another count, that request and its message change
// nothing. If the process dies after the write, the worker that receives the message records the undo.
//
// Undo reads the row and then the record, which says who may: a request writes the record first, so it is of the
// request that has set the row pending, or of a later one. Otherwise the owner could undo the request of an operator,
// which came after the owner's own and after an undo of that.
func (s *Deletions) Undo(ctx context.Context, ref domain.ChannelRef, by domain.Actor) (undone domain.Channel, err error) {
	var d domain.Deletion
	err = s.pause.Retry(ctx, func() error {
		row, unread := s.fence.ReadIncarnation(ctx, ref)
		undone = row.Channel
		//lab: Read which request is to be undone, and who may.
		d, err = s.undoable(ctx, ref, by)
		switch {
		case err != nil:
			return err
		case errors.Is(unread, domain.ErrNotFound), unread == nil && row.State == domain.ChannelDeleting:
			return domain.ErrTooLate
		case unread != nil:
			return unread
		}
		// After the deletion, a delayed insert can bring the row back, and a slow request can then set it pending.
		// It has no gate.
		if open, err := s.fence.GateIsOpen(ctx, ref); err != nil || !open {
			return cmp.Or(err, domain.ErrTooLate)
		}
		undone.State, undone.UndoableUntil, undone.UndoCount = domain.ChannelActive, time.Time{}, row.UndoCount+1
		return s.fence.SetActive(ctx, row)
	})
	if err != nil {
		return undone, err
	}
	m := d.Message()
	err = Steps{s}.RecordUndone(ctx, m)
	if m.UndoCount = undone.UndoCount - 1; err == nil && m.UndoCount != d.UndoCount { // of a request since d was read
		err = Steps{s}.RecordUndone(ctx, m)
	}
	return undone, err
}

// undoable reads the record of a deletion for an actor who may undo it.
func (s *Deletions) undoable(ctx context.Context, ref domain.ChannelRef, by domain.Actor) (domain.Deletion, error) {
	d, err := s.Get(ctx, ref, by)
	if err == nil && !d.UndoableBy(by) {
		err = fmt.Errorf("undoing the deletion of channel %s: %w", ref.Key, domain.ErrForbidden)
	}
	return d, err
}

// RecordUndone records that the deletion that a message asks for was undone.
func (s Steps) RecordUndone(ctx context.Context, m domain.Message) error {
	return s.UpdateRecord(ctx, m, func(d *domain.Deletion) bool {
		d.State = domain.DeletionUndone
		return true
	})
}
