package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Poison moves a message to the poison queue, where it waits for an operator. The
// worker calls it for a message that was attempted too often or cannot be read. If
// the message is about a channel, its Deletions row then says that the deletion is
// poisoned. A message whose lease was lost is domain.ErrLeaseLost.
//
// The copy is sent before the message is deleted. If the process dies in between,
// the message is not lost: it is on both queues, and to handle it twice does no
// harm.
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

// setDeletionState records the state and the attempts of a message in its Deletions
// row, which it inserts if it is not there.
func (s *Store) setDeletionState(ctx context.Context, m domain.Message, state domain.DeletionState) error {
	if err := s.OpenDeletion(ctx, m); err != nil {
		return err
	}
	return s.UpdateDeletion(ctx, m.Ref(), func(d *domain.Deletion) bool {
		d.State = state
		d.Attempts = m.Attempts
		return true
	})
}
