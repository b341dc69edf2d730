package bolt

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// An arrival is a change after which a message of a queue may be visible earlier than
// before it.
type arrival interface{ arrivesOn() (queue string) }

func (s *sending) arrivesOn() string { return s.queue }

func (r *renewing) arrivesOn() string { return r.queue }

// arrivals tells those who wait for a queue about each arrival. Its zero value is sound.
type arrivals struct {
	mu sync.Mutex
	// next has a channel for each queue that somebody waits for. It is closed by the
	// next arrival.
	next map[string]chan struct{}
}

// after returns a channel that is closed when something arrives after this call.
func (a *arrivals) after(queue string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	next, ok := a.next[queue]
	if !ok {
		if a.next == nil {
			a.next = map[string]chan struct{}{}
		}
		next = make(chan struct{})
		a.next[queue] = next
	}
	return next
}

func (a *arrivals) note(queue string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if next, ok := a.next[queue]; ok {
		close(next)
		delete(a.next, queue)
	}
}

// await is driver.Traits.Await. It knows when the message that is visible next will be.
func (db *DB) await(ctx context.Context, queue string) {
	for ctx.Err() == nil {
		arrived := db.arrivals.after(queue) // before the look, so that none is missed
		wait, ok := db.untilVisible(ctx, queue)
		if ok && wait <= 0 {
			return
		}
		var due <-chan time.Time
		if ok {
			due = time.After(wait)
		}
		select {
		case <-arrived:
		case <-due:
		case <-ctx.Done():
		case <-db.closing:
			return
		}
	}
}

// untilVisible returns how long it takes until the queue has a visible message. It
// reports false if the queue holds none, or cannot be read.
func (db *DB) untilVisible(ctx context.Context, queue string) (wait time.Duration, ok bool) {
	var first []byte
	err := db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openQueue(tx, queue)
		if err == nil {
			first, _ = bucket.Cursor().First()
			first = append([]byte(nil), first...)
		}
		return err
	})
	if err != nil || len(first) != placeLen {
		return 0, false
	}
	return time.Duration(binary.BigEndian.Uint64(first)) - db.clock(), true
}
