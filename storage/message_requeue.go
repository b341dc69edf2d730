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

// Requeue moves poisoned messages back to the queue, and returns how many. It moves
// the messages of one channel, or all if the key is empty. Their count of attempts
// starts again at 0. A message that cannot be decoded moves back unchanged, and only
// if the key is empty: a newer worker may understand it. A message that is poisoned
// again meanwhile stays poisoned.
func (s *Store) Requeue(ctx context.Context, only domain.ChannelKey) (requeued int, err error) {
	poisoned, err := s.receivePoisoned(ctx)
	if err != nil {
		return 0, err
	}
	for _, m := range poisoned {
		text, matches, err := s.readPoisoned(ctx, m, only)
		if err != nil {
			return requeued, err
		}
		if matches {
			err = s.moveBack(ctx, m, text)
		} else {
			_, err = s.poison.Update(ctx, m, m.Text, 0)
		}
		switch {
		case err != nil && !errors.Is(err, domain.ErrLeaseLost):
			return requeued, fmt.Errorf("requeueing: %w", err)
		case matches:
			requeued++
		}
	}
	return requeued, nil
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

// moveBack sends the copy before it deletes the original. If the process dies in
// between, the message is on both queues, and not lost.
func (s *Store) moveBack(ctx context.Context, m driver.Message, text string) error {
	if err := s.queue.Send(ctx, text); err != nil {
		return err
	}
	return s.poison.Delete(ctx, m)
}

// readPoisoned tells whether a poisoned message is of the channel, and returns the
// text to send. It records the deletion as queued. This comes before the message is
// sent: later, it would overwrite the state that a worker has recorded.
func (s *Store) readPoisoned(ctx context.Context, m driver.Message, only domain.ChannelKey) (text string, matches bool, err error) {
	deletion, err := domain.DecodeMessage(m.Text)
	if err != nil {
		return m.Text, only == "", nil
	}
	if only != "" && deletion.Channel != only {
		return "", false, nil
	}
	deletion.Attempts = 0
	if deletion.Kind == domain.MessageChannel {
		err = s.setDeletionState(ctx, deletion, domain.DeletionQueued)
	}
	return deletion.Encode(), err == nil, err
}
