package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// requeueLease is how long Requeue hides the poisoned messages that it receives.
const requeueLease = time.Minute

// Requeue queues what is poisoned again, and returns how many deletions. It queues
// those of one channel, or all if the key is empty. Their count of attempts starts
// again at 0. A message that cannot be decoded moves back unchanged, and only if the
// key is empty: a newer worker may understand it. A message that is poisoned again
// meanwhile stays poisoned.
//
// A deletion is queued once, however many copies of its message are on the poison
// queue. One that is recorded as poisoned and has no message there is queued too:
// its worker died before it sent the copy.
func (s *Store) Requeue(ctx context.Context, only domain.ChannelKey) (requeued int, err error) {
	poisoned, err := s.receivePoisoned(ctx)
	if err != nil {
		return 0, err
	}
	queued := map[domain.Message]bool{}
	for _, m := range poisoned {
		moved, err := s.requeueMessage(ctx, m, only, queued)
		if moved {
			requeued++
		}
		if err != nil {
			return requeued, fmt.Errorf("requeueing: %w", err)
		}
	}
	n, err := s.requeueRecords(ctx, only, queued)
	return requeued + n, err
}

// receivePoisoned receives all messages of the poison queue before any is moved.
// Otherwise a worker that poisons each message again at once would keep Requeue
// going for ever.
func (s *Store) receivePoisoned(ctx context.Context) ([]driver.Message, error) {
	var all []driver.Message
	for {
		messages, err := s.poison.Receive(ctx, driver.MaxReceive, requeueLease)
		if err != nil {
			return nil, fmt.Errorf("reading the poison queue: %w", err)
		}
		if len(messages) == 0 {
			return all, nil
		}
		all = append(all, messages...)
	}
}

// requeueMessage moves a poisoned message back, and reports whether it did. It adds
// the intent of the message to queued. A copy of one that is queued already is
// deleted; a message of another channel is shown again.
func (s *Store) requeueMessage(ctx context.Context, m driver.Message, only domain.ChannelKey, queued map[domain.Message]bool) (moved bool, err error) {
	message, err := domain.DecodeMessage(m.Text)
	switch readable := err == nil; {
	case !readable && only == "":
		moved, err = true, s.moveBack(ctx, m, func() error { return s.queue.Send(ctx, m.Text) })
	case !readable, only != "" && message.Channel != only:
		_, err = s.poison.Update(ctx, m, m.Text, 0)
	case queued[message.Intent()]:
		err = s.poison.Delete(ctx, m)
	default:
		message = message.Afresh()
		message.Recorded = message.Kind == domain.MessageBlog
		// The record comes before the message is sent: later, it would overwrite the
		// state that a worker has recorded.
		if err = s.setDeletionState(ctx, message, domain.DeletionQueued); err != nil {
			return false, err
		}
		queued[message.Intent()] = true
		moved, err = true, s.moveBack(ctx, m, func() error { return s.enqueue(ctx, message) })
	}
	if errors.Is(err, domain.ErrLeaseLost) { // another Requeue has it
		err = nil
	}
	return moved && err == nil, err
}

// moveBack sends the copy before it deletes the original. If the process dies in
// between, the message is on both queues, and not lost.
func (s *Store) moveBack(ctx context.Context, m driver.Message, send func() error) error {
	if err := send(); err != nil {
		return err
	}
	return s.poison.Delete(ctx, m)
}

// requeueRecords queues the deletions that are recorded as poisoned, except those in
// queued, and returns how many.
func (s *Store) requeueRecords(ctx context.Context, only domain.ChannelKey, queued map[domain.Message]bool) (requeued int, err error) {
	var rows driver.Scan
	if only != "" {
		rows.From, rows.To = partitionOf(only), successor(partitionOf(only))
	}
	for row, err := range s.deletions.All(ctx, rows) {
		if err != nil {
			return requeued, fmt.Errorf("reading the deletions: %w", err)
		}
		d := decodeDeletion(row)
		if d.State != domain.DeletionPoisoned || queued[d.Message().Intent()] {
			continue
		}
		if err := s.requeueRecord(ctx, d); err != nil {
			return requeued, fmt.Errorf("requeueing: %w", err)
		}
		requeued++
	}
	return requeued, nil
}

// requeueRecord sends the message before it changes the record. If the process dies
// in between, the deletion is still recorded as poisoned and can be queued again. A
// state that a worker has recorded meanwhile stays.
func (s *Store) requeueRecord(ctx context.Context, d domain.Deletion) error {
	message := d.Message()
	if err := s.enqueue(ctx, message); err != nil {
		return err
	}
	return s.updateDeletion(ctx, message.Channel, deletionRowOf(message), func(d *domain.Deletion) bool {
		if d.State != domain.DeletionPoisoned {
			return false
		}
		d.State, d.Attempts, d.LastDelivery = domain.DeletionQueued, 0, 0
		d.WaitingSince, d.RetryOn = time.Time{}, time.Time{}
		return true
	})
}
