package deletion

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
	"microblogging/storage/channel"
)

// MarkDeleting takes the channel past the pivot, after which a deletion cannot be undone, and so
// hides it from readers if the request has died before it could. It is the first step of a worker.
// It reports whether this incarnation's row is there, and its deletion was not undone. No clock is
// asked whether the time to undo is over: the queue has kept the message invisible for that long.
// What keeps a sweep from a channel whose deletion was undone is the version of the row.
func (s *Deletions) MarkDeleting(ctx context.Context, m domain.Message) (present bool, err error) {
	return s.mark(ctx, m, domain.Now(), func(row channel.Row) error { return s.Pivot(ctx, row) })
}

// hide marks the channel for a request whose own mark met another write.
func (s *Deletions) hide(ctx context.Context, m domain.Message) error {
	_, err := s.mark(ctx, m, m.Due(), func(row channel.Row) error {
		if row.State == domain.ChannelPending {
			return nil
		}
		return s.Mark(ctx, row, m.UndoableUntil)
	})
	return err
}

// mark reads the channel's row, and calls swap unless it is past the pivot. A deletion is on the
// index before its channel is marked, with the time at which its work is due (open.go). A row that
// counts other than the message is that of a channel whose deletion was undone.
func (s *Deletions) mark(ctx context.Context, m domain.Message, due time.Time, swap func(channel.Row) error) (present bool, err error) {
	err = s.pause.Retry(ctx, func() error {
		row, err := s.ReadIncarnation(ctx, m.Ref())
		present = err == nil && row.Undone == m.Number
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !present:
			return s.recordUndone(ctx, m)
		case row.State == domain.ChannelDeleting:
			return nil
		case row.State == domain.ChannelActive:
			if err := s.RenewOpen(ctx, m.Ref(), due); err != nil {
				return err
			}
		}
		return swap(row)
	})
	return present, err
}

// Undo undoes the latest request to delete a channel, and returns the channel. Nothing behind it
// was touched. To undo it again is no error. Only the user who asked may.
//
//   - Nobody asked for such a deletion: domain.ErrNotFound.
//   - Somebody else did: domain.ErrForbidden.
//   - A worker was faster: domain.ErrTooLate.
//
// It is the same swap as the worker's, the other way: of the two, one takes effect, and whoever
// comes second finds that. If the process dies after the swap, the message finds it, and records it.
func (s *Deletions) Undo(ctx context.Context, ref domain.ChannelRef, by domain.UserName) (undone domain.Channel, err error) {
	//lab: Read which request is to be undone.
	d, err := s.Deletion(ctx, ref, by)
	if err != nil {
		return undone, err
	}
	err = s.pause.Retry(ctx, func() error {
		row, err := s.ReadIncarnation(ctx, ref)
		undone = row.Channel
		switch {
		case errors.Is(err, domain.ErrNotFound), err == nil && row.State == domain.ChannelDeleting:
			return domain.ErrTooLate
		case err != nil || row.Undone > d.Number:
			return err // without one, it was undone before, or this is the echo of our own swap
		}
		undone.State, undone.UndoableUntil, undone.Undone = domain.ChannelActive, time.Time{}, row.Undone+1
		return s.Unmark(ctx, row)
	})
	if err != nil {
		return undone, err
	}
	return undone, s.recordUndone(ctx, d.Message())
}

func (s *Deletions) recordUndone(ctx context.Context, m domain.Message) error {
	return s.UpdateRecord(ctx, m, func(d *domain.Deletion) bool {
		d.State = domain.DeletionUndone
		return true
	})
}
