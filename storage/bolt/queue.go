package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

var _ driver.Queues = (*DB)(nil)

// CreateQueue implements driver.Queues.
func (db *DB) CreateQueue(ctx context.Context, queue string) error {
	return db.create(ctx, queueBucket(queue))
}

// Send implements driver.Queues.
func (db *DB) Send(ctx context.Context, queue, text string) error {
	return db.settle(ctx, queue, &sending{queue: queue, text: text})
}

// Receive implements driver.Queues. It writes nothing if no message is
// visible, for workers ask often.
func (db *DB) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	r := &receiving{queue: queue, limit: limit, lease: lease}
	err := db.view(ctx, r.check)
	if err == nil {
		err = db.submit(ctx, r)
	}
	switch {
	case errors.Is(err, errNoChange):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("queue %s: %w", queue, err)
	}
	return r.received, nil
}

// Update implements driver.Queues.
func (db *DB) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (string, error) {
	r := &renewing{held: held{queue: queue, id: m.ID, receipt: m.Receipt}, text: m.Text, lease: lease}
	if err := db.settle(ctx, queue, r); err != nil {
		return "", err
	}
	return r.renewed, nil
}

// Delete implements driver.Queues.
func (db *DB) Delete(ctx context.Context, queue string, m driver.Message) error {
	return db.settle(ctx, queue, &deleting{held{queue: queue, id: m.ID, receipt: m.Receipt}})
}

// Ping implements driver.Queues. It fails also if the store can be read
// but not written to any more.
func (db *DB) Ping(ctx context.Context, queue string) error {
	err := db.view(ctx, func(tx *bbolt.Tx) error {
		_, err := openQueue(tx, queue)
		return err
	})
	if err == nil && db.broken.Load() {
		err = errBroken
	}
	if err != nil {
		return fmt.Errorf("queue %s: %w", queue, err)
	}
	return nil
}

func (db *DB) settle(ctx context.Context, queue string, c change) error {
	if err := db.submit(ctx, c); err != nil {
		return fmt.Errorf("queue %s: %w", queue, err)
	}
	return nil
}

func openQueue(tx *bbolt.Tx, queue string) (*bbolt.Bucket, error) {
	bucket := tx.Bucket(queueBucket(queue))
	if bucket == nil {
		return nil, fmt.Errorf("%w: the queue was never created", domain.ErrUnavailable)
	}
	return bucket, nil
}

// sending is the change that puts a message on a queue.
type sending struct{ queue, text string }

func (s *sending) size() int { return len(s.text) }

func (s *sending) check(tx *bbolt.Tx) error {
	_, err := openQueue(tx, s.queue)
	return err
}

func (s *sending) apply(tx *bbolt.Tx) error {
	bucket := tx.Bucket(queueBucket(s.queue))
	n, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	// Visible since ever, so that a clock that is set back hides no new message.
	return bucket.Put(newPlace(time.Time{}, n), encodeMessage(message{id: n, text: s.text}))
}

// receiving is the change that takes visible messages and hides them.
type receiving struct {
	queue string
	limit int
	lease time.Duration
	// visible is the messages to take, which check has found.
	visible  []delivery
	received []driver.Message
}

func (r *receiving) size() int { return r.limit }

func (r *receiving) check(tx *bbolt.Tx) error {
	bucket, err := openQueue(tx, r.queue)
	if err != nil {
		return err
	}
	r.visible = r.visible[:0]
	now := newPlace(time.Now(), lastSequence)
	cursor := bucket.Cursor()
	visible := func(place []byte) bool { return place != nil && bytes.Compare(place, now) <= 0 }
	for place, value := cursor.First(); visible(place) && len(r.visible) < r.limit; place, value = cursor.Next() {
		m, err := decodeMessage(value)
		if err != nil {
			return err
		}
		r.visible = append(r.visible, delivery{bytes.Clone(place), m})
	}
	if len(r.visible) == 0 {
		return errNoChange
	}
	return nil
}

func (r *receiving) apply(tx *bbolt.Tx) error {
	bucket := tx.Bucket(queueBucket(r.queue))
	hidden := time.Now().Add(r.lease)
	for _, d := range r.visible {
		m := d.message
		m.deliveries++
		next, err := move(bucket, d.place, hidden, m)
		if err != nil {
			return err
		}
		r.received = append(r.received, driver.Message{
			ID: m.name(), Text: m.text, Receipt: receiptOf(next), Deliveries: m.deliveries,
		})
	}
	return nil
}

// A delivery is a message at its place.
type delivery struct {
	place   []byte
	message message
}

// held is a message as its receiver names it.
type held struct {
	queue, id, receipt string
	// stored is the message, which check has found.
	stored message
}

func (h *held) size() int { return len(h.receipt) }

// check refuses a receipt that is not the latest: nothing is at its place.
func (h *held) check(tx *bbolt.Tx) error {
	bucket, err := openQueue(tx, h.queue)
	if err != nil {
		return err
	}
	value := bucket.Get(placeOf(h.receipt))
	if value == nil {
		return domain.ErrLeaseLost
	}
	if h.stored, err = decodeMessage(value); err != nil {
		return err
	}
	if h.stored.name() != h.id {
		return domain.ErrLeaseLost
	}
	return nil
}

// deleting is the change that removes a message for good.
type deleting struct{ held }

func (d *deleting) apply(tx *bbolt.Tx) error {
	return tx.Bucket(queueBucket(d.queue)).Delete(placeOf(d.receipt))
}

// renewing is the change that rewrites a message and hides it anew.
type renewing struct {
	held
	text    string
	lease   time.Duration
	renewed string
}

func (r *renewing) size() int { return len(r.text) }

func (r *renewing) apply(tx *bbolt.Tx) error {
	m := r.stored
	m.text = r.text
	next, err := move(tx.Bucket(queueBucket(r.queue)), placeOf(r.receipt), time.Now().Add(r.lease), m)
	r.renewed = receiptOf(next)
	return err
}
