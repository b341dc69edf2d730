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
	// maxBatch and maxBatchBytes limit what shares one commit: its memory, and how
	// long its first transaction waits for its last.
	maxBatch      = 128
	maxBatchBytes = 8 << 20
	// maxYields is how often in a row the writer lets other goroutines run before
	// it takes it that none has anything to write. If none runs, this takes some
	// microseconds.
	maxYields = 32
	// maxGather ends the gathering when the others run for long and write nothing.
	maxGather = 200 * time.Microsecond
)

// A change is what one caller wants to write.
type change interface {
	// check tells whether the change can be applied, and writes nothing. The caller
	// gets its error.
	check(tx *bbolt.Tx) error
	// apply writes the change. It is called right after check. Its error fails the
	// whole commit.
	apply(tx *bbolt.Tx) error
	// size returns about how many bytes the change writes.
	size() int
}

// errNoChange is what check returns if there is nothing to do.
var errNoChange = errors.New("nothing to change")

// A write is a change on its way through the writer.
type write struct {
	ctx    context.Context
	change change
	// refused says why the change was not applied.
	refused error
	// done gets the answer. Its buffer holds one, so that the writer does not wait
	// for a caller that has gone.
	done chan error
}

// submit gives the change to the writer and waits until it is durable. If the context
// ends first, the change may be written or not.
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

// run is the writer. No other goroutine writes to the file.
func (db *DB) run() {
	defer close(db.stopped)
	look := time.NewTicker(nameInterval)
	defer look.Stop()
	for {
		select {
		case first := <-db.writes:
			batch := db.gather(first)
			err := db.writeBatch(batch)
			for _, w := range batch {
				db.answer(w, err)
			}
		case <-db.nextProbe():
			_ = db.writeBatch([]*write{{ctx: context.Background(), change: probe{}}}) // Health reports it
		case <-look.C:
			_ = db.writeBatch(nil)
		case <-db.closing:
			return
		}
	}
}

// answer tells the caller how its write ended. failure is the failure of its batch.
func (db *DB) answer(w *write, failure error) {
	if failure != nil {
		w.done <- failure
		return
	}
	if message, ok := w.change.(arrival); ok && w.refused == nil {
		db.arrivals.note(message.arrivesOn())
	}
	w.done <- w.refused
}

// gather adds the writes that wait to the first one. Callers queue while the batch
// before is synced. Those that were in that batch have just been answered and may
// be about to write again, so gather lets other goroutines run until no write comes.
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

// writeBatch applies each change that can be applied and commits once. Its error is
// the answer to all writes, even to a refused one: the refusal may depend on changes
// that were not made.
func (db *DB) writeBatch(batch []*write) error {
	if db.broken.Load() {
		return errBroken
	}
	defer db.begins()()
	changed, err := false, db.named()
	if err == nil {
		changed, err = db.commitBatch(batch)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
		before := db.failure.Swap(&err)
		if errors.Is(err, errNameless) && (before == nil || !errors.Is(*before, errNameless)) {
			db.log.Error("nothing is written any more", "error", err)
		}
		return err
	case changed:
		db.failure.Store(nil)
	}
	return nil
}

// commitBatch tells whether it changed anything. If it did not, it commits nothing.
func (db *DB) commitBatch(batch []*write) (changed bool, err error) {
	tx, err := db.bolt.Begin(true)
	if err != nil {
		return false, err
	}
	err = db.guarded(func() (err error) {
		changed, err = applyEach(tx, batch)
		return err
	})
	if err != nil || !changed {
		return false, errors.Join(err, tx.Rollback())
	}
	began := time.Now()
	err = db.finish(tx)
	if db.committed != nil {
		db.committed(Commit{Changes: applied(batch), Took: time.Since(began), Err: err})
	}
	return err == nil, err
}

// A Commit is one commit of what several callers wanted to write.
type Commit struct {
	// Changes is how many callers shared it.
	Changes int
	// Took is how long it took until it was on the disk.
	Took time.Duration
	// Err is why it failed. Then none of the changes took effect.
	Err error
}

// applied counts the writes that were not refused.
func applied(batch []*write) (n int) {
	for _, w := range batch {
		if w.refused == nil {
			n++
		}
	}
	return n
}

// finish commits. If the commit may be on the disk by half, it is the last one.
func (db *DB) finish(tx *bbolt.Tx) error {
	id := tx.ID()
	err := db.guarded(func() error { return db.commit(tx) })
	var panicked panicError
	switch {
	case errors.As(err, &panicked):
		db.broken.Store(true) // nobody knows what bbolt keeps in memory now
		// It gives up its locks, so that the store can be closed.
		_ = db.guarded(tx.Rollback)
		return err
	case err != nil:
		return errors.Join(err, db.distrust(id))
	}
	return nil
}

// guarded is caught for the writer. Its panics are in the log.
func (db *DB) guarded(work func() error) error {
	err := caught(work)
	var panicked panicError
	if errors.As(err, &panicked) {
		db.log.Error("panic in the embedded store", "panic", fmt.Sprint(panicked.value), "stack", panicked.stack)
	}
	return err
}

func applyEach(tx *bbolt.Tx, batch []*write) (changed bool, err error) {
	for _, w := range batch {
		if w.refused = w.ctx.Err(); w.refused != nil {
			continue // its caller has gone
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

// distrust stops all writing if a commit failed and can be read nevertheless. Then
// its last page is in the system's cache, and perhaps not on the disk. The next
// commit would reuse pages of the last good commit, which is what the disk still
// holds after a loss of power.
func (db *DB) distrust(commit int) error {
	return db.bolt.View(func(tx *bbolt.Tx) error {
		if tx.ID() >= commit {
			db.broken.Store(true)
		}
		return nil
	})
}
