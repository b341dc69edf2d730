package deletion

import (
	"context"
	"errors"

	"microblogging/domain"
)

// MarkDeleting marks the channel as being deleted, which hides it from readers. It
// reports whether this incarnation's row is there. The web role calls it when a
// deletion is asked for, and the worker again as its first step. A deletion is on the index
// before its channel is marked (open.go).
func (s *Deletions) MarkDeleting(ctx context.Context, ref domain.ChannelRef) (present bool, err error) {
	err = s.pause.Retry(ctx, func() error {
		row, err := s.ReadIncarnation(ctx, ref)
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
		if err := s.renewOpen(ctx, ref); err != nil {
			return err
		}
		return s.Mark(ctx, row)
	})
	return present, err
}
