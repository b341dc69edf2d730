package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
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

	// probeInterval is how long after a failed commit the writer tries another, if
	// there are no writes.
	probeInterval = 2 * time.Second
	// probeSize is so large that a full disk has no room for it.
	probeSize = 64 << 10
	// nameInterval is how often the writer reports whether the file has its name, if there
	// are no writes.
	nameInterval = 10 * time.Second
	// commitPatience is how long a commit may take before the disk counts as one that hangs.
	commitPatience = 10 * time.Second
	// readPatience is the same of a read.
	readPatience = 2 * time.Second
)

// errNameless means that the file has lost its name.
var errNameless = errors.New("the file of the store was removed or replaced while it was open; " +
	"save what it holds with backup --admin before this process ends")

// errNoChange is what check returns if there is nothing to do. The caller gets no error.
var errNoChange = errors.New("nothing to change")

// A change is what one caller wants to write.
type change struct {
	// check reports whether the change can be applied, and writes nothing. The caller gets its
	// error. Else apply writes the change, right after check; its error fails the whole commit.
	check func(tx *bbolt.Tx) (apply func() error, err error)
	// size is about how many bytes the change writes.
	size int
	// shows reports whether a message of a queue may be visible earlier than before.
	shows bool
}

// A write is a change on its way through the writer.
type write struct {
	change
	ctx context.Context
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
	// It means nothing, and shows whether the disk writes again.
	probing := change{check: func(tx *bbolt.Tx) (func() error, error) {
		return func() error { return tx.Bucket(aboutBucket()).Put([]byte("probe"), make([]byte, probeSize)) }, nil
	}}
	for {
		var probe <-chan time.Time
		if db.failure.Load() != nil && !db.broken.Load() {
			probe = time.After(probeInterval)
		}
		select {
		case first := <-db.writes:
			batch := db.gather(first)
			err := db.writeBatch(batch)
			for _, w := range batch {
				db.answer(w, err)
			}
		case <-probe:
			_ = db.writeBatch([]*write{{ctx: context.Background(), change: probing}}) // Writable reports it
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
	if w.shows && w.refused == nil {
		next := make(chan struct{})
		close(*db.arrival.Swap(&next)) // which tells those who wait, on any queue
	}
	if errors.Is(w.refused, errNoChange) {
		w.refused = nil
	}
	w.done <- w.refused
}

// gather adds the writes that wait to the first one. Callers queue while the batch
// before is synced. Those that were in that batch have just been answered and may
// be about to write again, so gather lets other goroutines run until no write comes.
func (db *DB) gather(first *write) []*write {
	batch := []*write{first}
	bytes, yields, start := first.size, 0, time.Now()
	for len(batch) < maxBatch && bytes < maxBatchBytes {
		select {
		case w := <-db.writes:
			batch = append(batch, w)
			bytes += w.size
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
// that were not made. Without a write it only reports whether the file has its name.
func (db *DB) writeBatch(batch []*write) error {
	if db.broken.Load() {
		return errBroken
	}
	began := time.Now()
	db.committing.Store(&began)
	defer db.committing.Store(nil)
	applied, err := 0, db.intact()
	if err == nil && len(batch) > 0 {
		applied, err = db.commitBatch(batch)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
		before := db.failure.Swap(&err)
		if errors.Is(err, errNameless) && (before == nil || !errors.Is(*before, errNameless)) {
			db.log.Error("the store refuses all writes", "error", err)
		}
	case applied > 0:
		db.failure.Store(nil)
	}
	return err
}

// commitBatch returns how many changes it applied. If it applied none, it commits nothing.
func (db *DB) commitBatch(batch []*write) (applied int, err error) {
	var tx *bbolt.Tx
	err = safely(func() (err error) { tx, err = db.bolt.Begin(true); return err })
	if errors.Is(err, ErrDamaged) || err == nil && int64(tx.ID()) != db.last.Load()+1 {
		return 0, db.lost()
	}
	if err != nil {
		return 0, err
	}
	var latest int64
	var noted time.Duration
	err = db.guarded(func() (err error) {
		if applied, err = applyEach(tx, batch); err == nil && applied > 0 {
			latest, noted, err = db.noteTime(tx)
		}
		return err
	})
	if err != nil || applied == 0 {
		return 0, errors.Join(err, tx.Rollback())
	}
	began := time.Now()
	if err = db.finish(tx); err == nil {
		db.latest.Store(latest)
		db.noted = noted
	}
	if db.committed != nil {
		db.committed(Commit{Changes: applied, Took: time.Since(began), Err: err})
	}
	return applied, err
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

func applyEach(tx *bbolt.Tx, batch []*write) (applied int, err error) {
	for _, w := range batch {
		if w.refused = w.ctx.Err(); w.refused != nil {
			continue // its caller has gone
		}
		apply, refused := w.check(tx)
		if w.refused = refused; refused != nil {
			continue
		}
		if err := apply(); err != nil {
			return 0, err
		}
		applied++
	}
	return applied, nil
}

// finish commits. If the commit may be on the disk by half, it is the last one.
func (db *DB) finish(tx *bbolt.Tx) error {
	id := tx.ID()
	err := db.guarded(func() error { return db.commit(tx) })
	var panicked panicError
	switch {
	case errors.As(err, &panicked):
		if _, fault := panicked.value.(interface{ Addr() uintptr }); fault { // of the memory
			return db.lost()
		}
		db.broken.Store(true) // what bbolt keeps in memory now is unknown
		// It gives up its locks, so that the store can be closed.
		_ = db.guarded(tx.Rollback)
		return err
	case err != nil:
		// If the commit can be read nevertheless, its last page is in the system's cache, and perhaps
		// not on the disk. The next commit would reuse pages of the last good commit, which is what the
		// disk still holds after a loss of power.
		return errors.Join(err, db.view(context.Background(), func(now *bbolt.Tx) error {
			if now.ID() >= id {
				db.broken.Store(true)
			}
			return nil
		}))
	}
	db.last.Store(int64(id))
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

// intact fails if the file has lost its name: what is written to it ends with the process. If
// another process has written to it, this one ends (lost). bbolt makes no file smaller.
func (db *DB) intact() error {
	now, err := os.Stat(db.bolt.Path())
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNameless, err)
	case !os.SameFile(now, db.file):
		return fmt.Errorf("%w: another file is now %s", errNameless, db.bolt.Path())
	case now.Size() < db.file.Size():
		return db.lost()
	}
	db.file = now
	return db.view(context.Background(), func(*bbolt.Tx) error { return nil })
}

// Health returns nil if the process can go on with the store: it answers reads within readPatience, no
// commit has been under way for commitPatience, none has failed half done, and the file has its name. A
// commit that was refused, as by a full disk, does not count, because no other process could write either
// (Writable).
func (db *DB) Health() error {
	select {
	case <-db.stopped:
		return errClosed
	default:
	}
	if failure := db.failure.Load(); failure != nil && (db.broken.Load() || errors.Is(*failure, errNameless)) {
		return *failure
	}
	if began := db.committing.Load(); began != nil {
		if took := time.Since(*began); took >= commitPatience {
			return fmt.Errorf("%w: a commit has been under way for %s", domain.ErrUnavailable, took.Truncate(time.Second))
		}
	}
	read := make(chan error, 1)
	go func() {
		read <- db.view(context.Background(), func(tx *bbolt.Tx) error { return checkSchema(tx.Bucket(aboutBucket()).Get(schemaKey())) })
	}()
	select {
	case err := <-read:
		return err
	case <-time.After(readPatience):
		return fmt.Errorf("%w: a read has been under way for %s", domain.ErrUnavailable, readPatience)
	}
}

// Writable returns nil while the store writes, and else why it does not. A failed commit
// counts until a later one succeeds, and what Health reports counts too. The writer tries again
// without being asked, each probeInterval. Neither waits for the writer.
func (db *DB) Writable() error {
	if failure := db.failure.Load(); failure != nil {
		return *failure
	}
	return db.Health()
}
