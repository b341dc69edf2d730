package mem

import (
	"context"
	"strconv"
	"sync"
	"time"

	"microblogging/storage/driver"
)

var _ driver.Backend = (*DB)(nil)

// Capabilities implements driver.Backend.
func (db *DB) Capabilities() driver.Capabilities { return driver.Capabilities{} }

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

// Change replaces the content by what change returns, unless that is an error. No
// other write happens in between.
func (db *DB) Change(change func(Snapshot) (Snapshot, error)) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	next, err := change(db.now)
	if err == nil {
		db.now = next
	}
	return err
}

// Deliver receives a message, even an invisible one. It is visible from then on.
func (db *DB) Deliver(queue, id string) (m driver.Message, err error) {
	err = db.Change(func(s Snapshot) (next Snapshot, err error) {
		next, m, err = s.Deliver(queue, id, time.Time{})
		return next, err
	})
	return m, err
}

// EndLeases makes every message of a queue visible, and returns the content.
func (db *DB) EndLeases(queue string) Snapshot {
	_ = db.Change(func(s Snapshot) (Snapshot, error) { return s.EndLeases(queue), nil })
	return db.Snapshot()
}

// mint returns a new name.
func (db *DB) mint(int) string {
	db.writes++
	return db.prefix + strconv.FormatUint(db.writes, 36)
}

// Do implements driver.Backend.
func (db *DB) Do(ctx context.Context, c *driver.Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.Change(func(s Snapshot) (Snapshot, error) {
		next, _, err := s.Do(c, time.Now(), db.mint)
		return next, err
	})
}
