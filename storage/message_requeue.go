package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// requeueLease is how long Requeue hides the poisoned messages that it receives, and
// each again before it moves it.
const requeueLease = time.Minute

// Requeue queues what is poisoned again, and returns how many deletions. It queues
// those of one channel, or all if the key is empty. Their count of attempts starts
// again at 0. A message that cannot be decoded moves back unchanged, and only if the
// key is empty: a newer worker may understand it. A message that is poisoned again
// meanwhile stays poisoned. A message that another program sent and that our queue
// refuses stays in its record; the error is domain.ErrLimit then, and all else is queued.
//
// A deletion is queued once, however many copies of its message are on the poison
// queue. One that is recorded as poisoned and has no message there is queued too:
// its worker died before it sent the copy. So is a message that cannot be decoded.
func (s *Store) Requeue(ctx context.Context, only domain.ChannelKey) (requeued int, err error) {
	poisoned, err := s.receivePoisoned(ctx)
	if err != nil {
		return 0, err
	}
	r := requeueing{Store: s, only: only, intents: map[domain.Message]bool{}, texts: map[string]bool{}}
	if only == "" {
		// They are read before anything is queued: what is poisoned again stays.
		if r.unread, err = s.unread(ctx); err != nil {
			return 0, err
		}
	}
	if err := r.run(ctx, poisoned); err != nil {
		return r.requeued, fmt.Errorf("requeueing: %w", err)
	}
	return r.requeued, r.refused
}

// receivePoisoned receives all messages of the poison queue before any is moved.
// Otherwise a worker that poisons each message again at once would keep Requeue
// going for ever. If that takes longer than the lease, the first messages are received
// once more; each counts in its last delivery.
func (s *Store) receivePoisoned(ctx context.Context) ([]driver.Message, error) {
	var all []driver.Message
	at := map[string]int{}
	for {
		messages, err := s.poison.Receive(ctx, driver.MaxReceive, requeueLease)
		if err != nil {
			return nil, fmt.Errorf("reading the poison queue: %w", err)
		}
		known := 0
		for _, m := range messages {
			if i, again := at[m.ID]; again {
				all[i] = m
				known++
				continue
			}
			at[m.ID] = len(all)
			all = append(all, m)
		}
		if known == len(messages) {
			return all, nil
		}
	}
}

// A requeueing is one run of Requeue.
type requeueing struct {
	*Store
	only domain.ChannelKey
	// unread is what was recorded as unread before the run, by text.
	unread map[string][]unreadMessage
	// intents and texts are what the run has queued, of messages that can be decoded and
	// of others.
	intents  map[domain.Message]bool
	texts    map[string]bool
	requeued int
	// refused joins the errors of messages that the queue refuses for good.
	refused error
}

func (r *requeueing) run(ctx context.Context, poisoned []driver.Message) error {
	for _, m := range poisoned {
		if err := r.move(ctx, m); err != nil {
			return err
		}
	}
	for _, text := range slices.Sorted(maps.Keys(r.unread)) {
		if err := r.queueUnread(ctx, r.unread[text]); err != nil {
			return err
		}
	}
	return r.queueRecords(ctx)
}

// move moves a poisoned message back. A copy of one that is queued already is deleted; a
// message of another channel is shown again. The copy is sent before the original is
// deleted: if the process dies in between, the message is on both queues, and not lost.
func (r *requeueing) move(ctx context.Context, m driver.Message) error {
	message, err := domain.DecodeMessage(m.Text)
	readable := err == nil
	mine := r.only == "" || readable && message.Channel == r.only
	lease := requeueLease
	if !mine {
		lease = 0
	}
	m, err = r.poison.Update(ctx, m, m.Text, lease)
	switch {
	case errors.Is(err, domain.ErrLeaseLost): // another Requeue has it
		return nil
	case errors.Is(err, domain.ErrLimit) && !mine: // it is shown when its lease ends
		return nil
	case err == nil && !mine:
		return nil
	case err == nil && readable:
		err = r.queueMessage(ctx, message)
	case err == nil:
		err = r.queueText(ctx, m.Text)
	}
	if errors.Is(err, domain.ErrLimit) {
		r.refused = errors.Join(r.refused, err)
		return nil
	}
	if err != nil {
		return err
	}
	// If the lease is lost only now, the message has moved all the same.
	if err := r.poison.Delete(ctx, m); !errors.Is(err, domain.ErrLeaseLost) {
		return err
	}
	return nil
}

// queueMessage queues a message that can be decoded, unless the run has done so.
func (r *requeueing) queueMessage(ctx context.Context, message domain.Message) error {
	if r.intents[message.Intent()] {
		return nil
	}
	message = message.Afresh()
	message.Recorded = message.Kind == domain.MessageBlog
	// The record comes before the message is sent: later, it would overwrite the
	// state that a worker has recorded.
	if err := r.setDeletionState(ctx, message, domain.DeletionQueued); err != nil {
		return err
	}
	if err := r.enqueue(ctx, message); err != nil {
		return err
	}
	r.intents[message.Intent()] = true
	r.requeued++
	return nil
}

// queueText queues a message that cannot be decoded, unless the run has done so. Its
// records are written last: if the process dies before, the next Requeue queues the
// message again.
func (r *requeueing) queueText(ctx context.Context, text string) error {
	if r.texts[text] {
		return nil
	}
	if err := r.queue.Send(ctx, text); err != nil {
		return err
	}
	r.texts[text] = true
	r.requeued++
	for _, m := range r.unread[text] {
		if err := r.setHandled(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// queueUnread queues a message from its records, which hold the same text, unless this run
// or another Requeue has queued it.
func (r *requeueing) queueUnread(ctx context.Context, records []unreadMessage) error {
	same, err := unchanged(ctx, r.deletions, records[0].row)
	if err != nil || !same {
		return err
	}
	err = r.queueText(ctx, records[0].text)
	if errors.Is(err, domain.ErrLimit) {
		r.refused = errors.Join(r.refused, err)
		return nil
	}
	return err
}

// queueRecords queues the deletions that are recorded as poisoned, except those that
// the run has queued.
func (r *requeueing) queueRecords(ctx context.Context) error {
	var rows driver.Scan
	if r.only != "" {
		rows.From, rows.To = schema.ChannelPartition(r.only), schema.Successor(schema.ChannelPartition(r.only))
	}
	for row, err := range r.deletions.All(ctx, rows) {
		if err != nil {
			return fmt.Errorf("reading the deletions: %w", err)
		}
		kind := schema.Of(schema.TableDeletions, row.Partition, row.Row)
		if kind != schema.Deletion && kind != schema.BlogDeletion {
			continue
		}
		d := decodeDeletion(row)
		if d.State != domain.DeletionPoisoned || r.intents[d.Message().Intent()] {
			continue
		}
		if err := r.requeueRecord(ctx, d); err != nil {
			return err
		}
		r.requeued++
	}
	return nil
}

// requeueRecord sends the message before it changes the record. If the process dies
// in between, the deletion is still recorded as poisoned and can be queued again. A
// state that a worker has recorded meanwhile stays.
func (s *Store) requeueRecord(ctx context.Context, d domain.Deletion) error {
	message := d.Message()
	if err := s.enqueue(ctx, message); err != nil {
		return err
	}
	return s.updateDeletion(ctx, message.Channel, schema.DeletionRowOf(message), func(d *domain.Deletion) bool {
		if d.State != domain.DeletionPoisoned {
			return false
		}
		d.State, d.Attempts, d.LastDelivery = domain.DeletionQueued, 0, 0
		d.WaitingSince, d.RetryOn = time.Time{}, time.Time{}
		return true
	})
}
