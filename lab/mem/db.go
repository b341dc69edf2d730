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

// Do implements driver.Backend.
func (db *DB) Do(ctx context.Context, c *driver.Call) (err error) {
	switch c.Method {
	case driver.CallCreateTable:
		err = db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.WithTable(c.Target), nil })
	case driver.CallGet:
		c.Entity, err = read(ctx, db, func(s Snapshot) (driver.Entity, error) {
			return s.Get(c.Target, c.Partition, c.Row)
		})
	case driver.CallRange:
		q := driver.Range{Partition: c.Partition, From: c.From, To: c.To, Paging: c.Paging}
		c.Page, err = read(ctx, db, func(s Snapshot) (driver.Page, error) { return s.Range(c.Target, q) })
	case driver.CallScan:
		q := driver.Scan{From: c.From, To: c.To, Paging: c.Paging}
		c.Page, err = read(ctx, db, func(s Snapshot) (driver.Page, error) { return s.Scan(c.Target, q) })
	case driver.CallTransact:
		err = db.write(ctx, func(s Snapshot) (Snapshot, error) {
			etag := func(int) driver.ETag { return driver.ETag(db.mint()) }
			next, _, err := s.Transact(c.Target, c.Partition, c.Operations, etag)
			return next, err
		})
	case driver.CallCreateQueue:
		err = db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.WithQueue(c.Target), nil })
	case driver.CallSend:
		err = db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.Send(c.Target, db.mint(), c.Message.Text) })
	case driver.CallReceive:
		c.Messages, err = db.receive(ctx, c)
	case driver.CallUpdate:
		err = db.write(ctx, func(s Snapshot) (next Snapshot, err error) {
			next, c.Receipt, err = s.Update(c.Target, c.Message, time.Now().Add(c.Lease))
			return next, err
		})
	case driver.CallDelete:
		err = db.write(ctx, func(s Snapshot) (Snapshot, error) { return s.Delete(c.Target, c.Message) })
	case driver.CallPeek:
		c.Messages, err = read(ctx, db, func(s Snapshot) ([]driver.Message, error) { return s.peek(c) })
	case driver.CallLength:
		c.Length, err = read(ctx, db, func(s Snapshot) (int64, error) {
			at, err := s.queue(c.Target)
			if err != nil {
				return 0, err
			}
			return int64(len(s.queues[at].messages)), nil
		})
	}
	return err
}

func (db *DB) receive(ctx context.Context, c *driver.Call) (received []driver.Message, err error) {
	err = db.write(ctx, func(s Snapshot) (Snapshot, error) {
		at, err := s.queue(c.Target)
		if err != nil {
			return s, err
		}
		now := time.Now()
		for _, m := range s.queues[at].messages {
			if len(received) == c.Limit || m.visible.After(now) {
				continue
			}
			var delivered driver.Message
			if s, delivered, err = s.Deliver(c.Target, m.id, now.Add(c.Lease)); err != nil {
				return s, err
			}
			received = append(received, delivered)
		}
		return s, nil
	})
	return received, err
}

func (s Snapshot) peek(c *driver.Call) (visible []driver.Message, err error) {
	at, err := s.queue(c.Target)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, m := range s.queues[at].messages {
		if len(visible) < c.Limit && !m.visible.After(now) {
			visible = append(visible, driver.Message{ID: m.id, Text: m.text, Deliveries: m.deliveries})
		}
	}
	return visible, nil
}
