package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Poison moves a message that was attempted too often, or cannot be read, to the
// poison queue, where it waits for an operator. The Deletions row says so. The
// copy is sent before the message is deleted: died in between, it is poisoned
// twice, which requeueing makes good, and not lost.
func (s *Store) Poison(ctx context.Context, m driver.Message) error {
	if err := s.poison.Send(ctx, m.Text); err != nil {
		return fmt.Errorf("sending to the poison queue: %w", err)
	}
	if deletion, err := domain.DecodeMessage(m.Text); err == nil && deletion.Kind == domain.MessageChannel {
		err := s.setDeletionState(ctx, deletion, domain.DeletionPoisoned)
		if err != nil {
			return err
		}
	}
	return s.queue.Delete(ctx, m)
}

func (s *Store) setDeletionState(ctx context.Context, m domain.Message, state domain.DeletionState) error {
	if err := s.OpenDeletion(ctx, m); err != nil {
		return err
	}
	return s.UpdateDeletion(ctx, m.Ref(), func(d *domain.Deletion) bool {
		d.State = state
		d.Attempts = m.Attempts
		d.WaitingSince = time.Time{}
		return true
	})
}
