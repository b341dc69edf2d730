package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// requeueLease is how long a poisoned message is hidden while it is looked at.
const requeueLease = time.Minute

// Requeue puts poisoned messages back on the queue, with a fresh count of
// attempts, and returns how many: those of one channel, or all if the key is
// empty. Messages that nobody could read go back as they are, for a newer
// worker may know them. What is poisoned again meanwhile stays where it is.
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

// receivePoisoned takes all that is on the poison queue before any of it is
// moved: a worker that poisons again at once would keep the caller for ever.
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

// moveBack sends the copy before it deletes the original: died in between, the
// message is on both queues, and not lost.
func (s *Store) moveBack(ctx context.Context, m driver.Message, text string) error {
	if err := s.queue.Send(ctx, text); err != nil {
		return err
	}
	return s.poison.Delete(ctx, m)
}

// readPoisoned returns the text to put back, and records the deletion as queued
// before it is: the other way round, a worker's progress would be overwritten.
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
