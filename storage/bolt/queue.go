package bolt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// CreateQueue implements driver.Queues.
func (db *DB) CreateQueue(ctx context.Context, queue string) error {
	return db.create(ctx, queueBucket(queue))
}

// Send implements driver.Queues.
func (db *DB) Send(ctx context.Context, queue, text string) error {
	return db.changeQueue(ctx, queue, &sending{queue: queue, text: text})
}

// Receive implements driver.Queues. Workers poll, so it looks for a visible message
// before it gives the writer anything to do.
func (db *DB) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	r := &receiving{queue: queue, limit: limit, lease: lease, clock: db.clock}
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
	r := &renewing{held: held{queue: queue, id: m.ID, receipt: m.Receipt}, text: m.Text, lease: lease, clock: db.clock}
	if err := db.changeQueue(ctx, queue, r); err != nil {
		return "", err
	}
	return r.renewed, nil
}

// Delete implements driver.Queues.
func (db *DB) Delete(ctx context.Context, queue string, m driver.Message) error {
	return db.changeQueue(ctx, queue, &settling{held{queue: queue, id: m.ID, receipt: m.Receipt}})
}

// Peek implements driver.Queues.
func (db *DB) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	r := &receiving{queue: queue, limit: limit, clock: db.clock}
	err := db.view(ctx, r.check)
	if err != nil && !errors.Is(err, errNoChange) {
		return nil, fmt.Errorf("queue %s: %w", queue, err)
	}
	messages := make([]driver.Message, len(r.visible))
	for i, d := range r.visible {
		messages[i] = driver.Message{ID: d.message.name(), Text: d.message.text, Deliveries: d.message.deliveries}
	}
	return messages, nil
}

// Ping implements driver.Queues. It also fails if the store can be read but no longer
// written to.
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

// Length implements driver.Queues. It walks through the whole queue.
func (db *DB) Length(ctx context.Context, queue string) (n int64, err error) {
	err = db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openQueue(tx, queue)
		if err == nil {
			n = int64(bucket.Stats().KeyN)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("queue %s: %w", queue, err)
	}
	return n, nil
}

// changeQueue submits a change of a queue and names the queue in its error.
func (db *DB) changeQueue(ctx context.Context, queue string, c change) error {
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
