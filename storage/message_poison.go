package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// markLease hides a message while its copy is sent to the poison queue.
const markLease = time.Minute

// Poison moves a message to the poison queue, where it waits for an operator. The
// worker calls it for a message that was attempted too often or cannot be read. The
// Deletions row then says that the deletion is poisoned; a post gets such a row only
// now, and so does a message that cannot be read. A message whose lease was lost is
// domain.ErrLeaseLost.
//
// A message makes at most one copy, whatever fails in between. There may be none: then
// Requeue finds the record.
func (s *Store) Poison(ctx context.Context, m driver.Message) error {
	message, err := domain.DecodeMessage(m.Text)
	if err != nil {
		return s.poisonUnread(ctx, m)
	}
	if !message.Copied {
		if m, err = s.copyToPoison(ctx, m, message); err != nil {
			return err
		}
	}
	//lab: Take the message off the queue, since an operator has it.
	return s.queue.Delete(ctx, m)
}

// copyToPoison sends a copy of a message to the poison queue, and returns the
// message with its new receipt. The order of writes is: the record, the mark, the
// copy. After it, the message is deleted.
//
//   - The process dies before the record, or the tables are away: nothing has
//     happened, and the next delivery starts again.
//   - It dies after the record: the next delivery starts again, and records the same.
//   - It dies after the mark: there may be no copy. The next delivery only deletes
//     the message. The record says poisoned, and Requeue queues a new message.
//   - It dies after the copy: the next delivery deletes the message.
//
// If the copy came before the mark, each delivery that cannot complete the rest
// would send another.
func (s *Store) copyToPoison(ctx context.Context, m driver.Message, message domain.Message) (driver.Message, error) {
	message.Recorded = message.Kind == domain.MessageBlog
	if err := s.setDeletionState(ctx, message, domain.DeletionPoisoned); err != nil {
		return m, err
	}
	marked := message
	marked.Copied = true
	//lab: Mark the message as copied, before it is.
	m, err := s.queue.Update(ctx, m, marked.Encode(), markLease)
	if err != nil {
		return m, fmt.Errorf("marking a message as poisoned: %w", err)
	}
	//lab: Send a copy to the queue of the operator.
	if err := s.poison.SendOnce(ctx, message.Encode()); err != nil {
		return m, fmt.Errorf("sending to the poison queue: %w", err)
	}
	return m, nil
}

// setDeletionState records the state and the attempts of a message in its Deletions
// row. A row that is not there is inserted in that state: in another, a post would
// look unfinished if the process died in between.
func (s *Store) setDeletionState(ctx context.Context, m domain.Message, state domain.DeletionState) error {
	inserted, err := s.insertDeletion(ctx, m, state)
	if err != nil || inserted {
		return err
	}
	return s.updateDeletion(ctx, m.Channel, schema.DeletionRowOf(m), func(d *domain.Deletion) bool {
		d.State = state
		d.Attempts = m.Attempts
		d.WaitingSince = time.Time{}
		if state == domain.DeletionQueued {
			d.LastDelivery = 0 // a new message counts its deliveries anew
		}
		return true
	})
}
