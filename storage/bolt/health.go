package bolt

import (
	"time"

	"go.etcd.io/bbolt"
)

const (
	// probeInterval is how long after a failed commit the writer tries another, if
	// nobody writes.
	probeInterval = 2 * time.Second
	// probeSize is so large that a full disk has no room for it.
	probeSize = 64 << 10
)

// Health returns nil while the store writes, and else why it does not. A failed commit
// counts until a later one succeeds; one that failed half done counts until the store
// is opened again. The writer tries again without being asked, each probeInterval. Health
// asks neither the disk nor the writer, so it never waits.
func (db *DB) Health() error {
	select {
	case <-db.stopped:
		return errClosed
	default:
	}
	if failure := db.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// A probe is a change that means nothing. It shows whether the disk writes again.
type probe struct{}

func probeKey() []byte { return []byte("probe") }

func (probe) size() int { return probeSize }

func (probe) check(*bbolt.Tx) error { return nil }

func (probe) apply(tx *bbolt.Tx) error {
	return tx.Bucket(aboutBucket()).Put(probeKey(), make([]byte, probeSize))
}

// nextProbe returns a channel on which the time of the next probe comes. It is nil if
// nothing needs one.
func (db *DB) nextProbe() <-chan time.Time {
	if db.failure.Load() == nil || db.broken.Load() {
		return nil
	}
	return time.After(probeInterval)
}
