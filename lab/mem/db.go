package mem

import (
	"context"
	"strconv"
	"sync"
	"time"

	"microblogging/storage/driver"
)

var _ driver.Backend = (*DB)(nil)

// Traits implements driver.Backend.
func (db *DB) Traits() driver.Traits { return driver.Traits{} }

// A DB is a backend whose content is a Snapshot. It is safe for concurrent use.
type DB struct {
	mu  sync.Mutex
	now Snapshot
	// prefix and the number of writes make the names of versions and messages.
	prefix string
	writes uint64
}

// Open returns a backend with this content. All ETags and message IDs that it mints
// start with prefix. No name in content may start with it, or one would repeat.
func Open(content Snapshot, prefix string) *DB { return &DB{now: content, prefix: prefix} }

// Snapshot returns the content as it is now.
func (db *DB) Snapshot() Snapshot {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.now
}

// read reads the content, unless the context has ended.
func read[T any](ctx context.Context, db *DB, of func(Snapshot) (T, error)) (result T, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	return of(db.Snapshot())
}

// write replaces the content by what change returns, unless that is an error.
func (db *DB) write(ctx context.Context, change func(Snapshot) (Snapshot, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	next, err := change(db.now)
	if err == nil {
		db.now = next
	}
	return err
}

// Change replaces the content by what change returns, unless that is an error. No
// other write happens in between.
func (db *DB) Change(change func(Snapshot) (Snapshot, error)) error {
	return db.write(context.Background(), change)
}

// mint returns a new name.
func (db *DB) mint() string {
	db.writes++
	return db.prefix + strconv.FormatUint(db.writes, 36)
}

// CreateTable implements driver.Tables.
func (db *DB) CreateTable(ctx context.Context, table string) error {
	return db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.WithTable(table), nil })
}

// Get implements driver.Tables.
func (db *DB) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return read(ctx, db, func(s Snapshot) (driver.Entity, error) { return s.Get(table, partition, row) })
}

// Range implements driver.Tables.
func (db *DB) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return read(ctx, db, func(s Snapshot) (driver.Page, error) { return s.Range(table, q) })
}

// Scan implements driver.Tables.
func (db *DB) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return read(ctx, db, func(s Snapshot) (driver.Page, error) { return s.Scan(table, q) })
}

// Transact implements driver.Tables.
func (db *DB) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	return db.write(ctx, func(s Snapshot) (Snapshot, error) {
		next, _, err := s.Transact(table, partition, ops, func(int) driver.ETag { return driver.ETag(db.mint()) })
		return next, err
	})
}

// CreateQueue implements driver.Queues.
func (db *DB) CreateQueue(ctx context.Context, queue string) error {
	return db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.WithQueue(queue), nil })
}

// Send implements driver.Queues.
func (db *DB) Send(ctx context.Context, queue, text string) error {
	return db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.Send(queue, db.mint(), text) })
}

// Receive implements driver.Queues.
func (db *DB) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	var received []driver.Message
	err := db.write(ctx, func(s Snapshot) (Snapshot, error) {
		at, err := s.queue(queue)
		if err != nil {
			return s, err
		}
		now := time.Now()
		for _, m := range s.queues[at].messages {
			if len(received) == limit || m.visible.After(now) {
				continue
			}
			var delivered driver.Message
			if s, delivered, err = s.Deliver(queue, m.id, now.Add(lease)); err != nil {
				return s, err
			}
			received = append(received, delivered)
		}
		return s, nil
	})
	return received, err
}

// Update implements driver.Queues.
func (db *DB) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (receipt string, err error) {
	err = db.write(ctx, func(s Snapshot) (Snapshot, error) {
		var next Snapshot
		next, receipt, err = s.Update(queue, m, time.Now().Add(lease))
		return next, err
	})
	return receipt, err
}

// Delete implements driver.Queues.
func (db *DB) Delete(ctx context.Context, queue string, m driver.Message) error {
	return db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.Delete(queue, m) })
}

// Peek implements driver.Queues.
func (db *DB) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	return read(ctx, db, func(s Snapshot) (visible []driver.Message, err error) {
		at, err := s.queue(queue)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		for _, m := range s.queues[at].messages {
			if len(visible) < limit && !m.visible.After(now) {
				visible = append(visible, driver.Message{ID: m.id, Text: m.text, Deliveries: m.deliveries})
			}
		}
		return visible, nil
	})
}

// Ping implements driver.Queues.
func (db *DB) Ping(ctx context.Context, queue string) error {
	_, err := db.Length(ctx, queue)
	return err
}

// Length implements driver.Queues.
func (db *DB) Length(ctx context.Context, queue string) (int64, error) {
	return read(ctx, db, func(s Snapshot) (int64, error) {
		at, err := s.queue(queue)
		if err != nil {
			return 0, err
		}
		return int64(len(s.queues[at].messages)), nil
	})
}
