package bolt

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
)

const (
	// probeInterval is how long after a failed commit the writer tries another, if
	// nobody writes.
	probeInterval = 2 * time.Second
	// probeSize is so large that a full disk has no room for it.
	probeSize = 64 << 10
	// nameInterval is how often the writer looks whether the file has its name, if nobody
	// writes.
	nameInterval = 10 * time.Second
	// commitPatience is how long a commit may take before the disk counts as one that hangs.
	commitPatience = 10 * time.Second
)

// errNameless means that the file has lost its name.
var errNameless = errors.New("the file of the store was removed or replaced while it was open; " +
	"save what it holds with backup --admin before this process ends")

// Health returns nil while the store writes, and else why it does not. A failed commit
// counts until a later one succeeds; one that failed half done counts until the store
// is opened again. A file that has lost its name counts until it has it again. The writer
// tries again without being asked, each probeInterval. Health asks neither the disk nor the
// writer, so it never waits.
func (db *DB) Health() error {
	select {
	case <-db.stopped:
		return errClosed
	default:
	}
	if failure := db.failure.Load(); failure != nil {
		return *failure
	}
	if began := db.committing.Load(); began != nil {
		if took := time.Since(*began); took >= commitPatience {
			return fmt.Errorf("%w: a commit has been under way for %s", domain.ErrUnavailable, took.Truncate(time.Second))
		}
	}
	return nil
}

// begins notes that the writer begins something for which it may have to wait for the disk.
func (db *DB) begins() (ends func()) {
	began := time.Now()
	db.committing.Store(&began)
	return func() { db.committing.Store(nil) }
}

// named fails if the file has lost its name: what is written to it ends with the process.
func (db *DB) named() error {
	now, err := os.Stat(db.bolt.Path())
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNameless, err)
	case !os.SameFile(now, db.file):
		return fmt.Errorf("%w: another file is now %s", errNameless, db.bolt.Path())
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
