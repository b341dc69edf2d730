package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
)

const (
	// maxBatch and maxBatchBytes bound what shares one commit, and so the memory
	// that it takes and the time that the first one waits for the last.
	maxBatch      = 128
	maxBatchBytes = 8 << 20
	// maxYields is how often in a row the writer lets others run before it
	// believes that nobody has anything to write. It is some microseconds, but
	// for maxGather: those who run may be in no hurry to let the writer run.
	maxYields = 32
	maxGather = 200 * time.Microsecond
)

// A change is what a caller wants to be written.
type change interface {
	// check tells whether the change can be applied to the state in the
	// transaction, and changes nothing. Its error is the caller's answer.
	check(tx *bbolt.Tx) error
	// apply changes what check has looked at. Its error fails the commit, for
	// every change in it.
	apply(tx *bbolt.Tx) error
	// size is about how many bytes it writes.
	size() int
}

// errNoChange is what check answers if there is nothing to do.
var errNoChange = errors.New("nothing to change")

// A write is a change on its way through the writer.
type write struct {
	ctx    context.Context
	change change
	// refused is why the change was not applied.
	refused error
	// done gets the answer. It holds one, so that the writer never waits for a
	// caller who has gone.
	done chan error
}

// submit waits until the change is durable. If the context ends before, whether
// it was made is unknown.
func (db *DB) submit(ctx context.Context, c change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{ctx: ctx, change: c, done: make(chan error, 1)}
	select {
	case db.writes <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closing:
		return errClosed
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the outcome of a write is unknown: %w", ctx.Err())
	}
}

// run is the writer. It owns all writing to the file.
func (db *DB) run() {
	defer close(db.stopped)
	for {
		select {
		case first := <-db.writes:
			batch := db.gather(first)
			err := db.writeBatch(batch)
			for _, w := range batch {
				if err != nil {
					w.done <- err
				} else {
					w.done <- w.refused
				}
			}
		case <-db.closing:
			return
		}
	}
}

// gather adds what is waiting already; while one batch is synced, the next one
// gathers by itself. Those who were just answered may be about to write again,
// so it lets others run until nobody comes any more.
func (db *DB) gather(first *write) []*write {
	batch := []*write{first}
	bytes, yields, start := first.change.size(), 0, time.Now()
	for len(batch) < maxBatch && bytes < maxBatchBytes {
		select {
		case w := <-db.writes:
			batch = append(batch, w)
			bytes += w.change.size()
			yields = 0
		default:
			if yields == maxYields || time.Since(start) > maxGather {
				return batch
			}
			runtime.Gosched()
			yields++
		}
	}
	return batch
}

// writeBatch applies each change that can be applied and commits once. Its
// error is the answer to all: also a refusal was decided by changes that may
// not have been made.
func (db *DB) writeBatch(batch []*write) error {
	if db.broken.Load() {
		return errBroken
	}
	tx, err := db.bolt.Begin(true)
	if err != nil {
		return unavailable(err)
	}
	changed, err := applyEach(tx, batch)
	if err != nil || !changed {
		if rollback := tx.Rollback(); rollback != nil {
			err = errors.Join(err, rollback)
		}
		return unavailable(err)
	}
	id := tx.ID()
	if err := db.commit(tx); err != nil {
		return unavailable(errors.Join(err, db.distrust(id)))
	}
	return nil
}

func applyEach(tx *bbolt.Tx, batch []*write) (changed bool, err error) {
	for _, w := range batch {
		if w.refused = w.ctx.Err(); w.refused != nil {
			continue // nobody waits for it any more
		}
		if w.refused = w.change.check(tx); w.refused != nil {
			continue
		}
		if err := w.change.apply(tx); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// distrust stops all writing if the commit that failed can be read all the
// same: its last page is in the system's cache and perhaps on the disk. The
// next commit would reuse pages that the one before it needs, which is what the
// disk may still hold after a loss of power.
func (db *DB) distrust(commit int) error {
	return db.bolt.View(func(tx *bbolt.Tx) error {
		if tx.ID() >= commit {
			db.broken.Store(true)
		}
		return nil
	})
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
}
