package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Options says how to open a store. The zero value is sound.
type Options struct {
	// NoSync acknowledges a write before it is on the disk. The write survives the
	// death of the process but not a loss of power.
	NoSync bool
	// Log gets the stack of a panic in a library. Nil means slog.Default().
	Log *slog.Logger
	// Committed is told of each commit of changes. It must not wait, since the next commit
	// waits for it. It may be nil.
	Committed func(Commit)
	// Accept is given a store that can only be read, before anything is written to it. If it fails, the
	// store is refused with its error and is not changed. Nil accepts every store.
	Accept func(driver.Backend) error
	// Empty reports whether Restore may put another store in the place of one that can only be read.
	// Only Restore needs it.
	Empty func(driver.Backend) (bool, error)
	// compacts refuses damaged rows, and accepts that the last write may be missing (errHeader).
	compacts bool
	// openFile is os.OpenFile, but for a test.
	openFile func(string, int, fs.FileMode) (*os.File, error)
}

// DB is an open store. It implements driver.Backend, and is safe for concurrent use.
type DB struct {
	bolt *boltFile
	// file is what had the name of the store at the last look, which only the writer has.
	file os.FileInfo
	// last is the number of the last commit.
	last atomic.Int64
	// epoch is that of this opening; see beginEpoch.
	epoch uint64
	// opened is when the store would have been opened if it had been open ever since (clock).
	opened time.Time
	// latest is what noteTime has written: nanoseconds since 1970.
	latest atomic.Int64
	// noted is how far the clock of the queues had come when a commit noted it last. Only the writer has it.
	noted time.Duration
	// writes hands a write to the writer. It has no buffer: the writer answers what
	// it has taken, and a sender can still give up what it has not.
	writes chan *write
	// closing is closed to stop the senders and the writer, and stopped is closed
	// when the writer has stopped.
	closing, stopped chan struct{}
	close            func() error
	// broken is set when a commit has failed half done. Nothing is written after it.
	broken atomic.Bool
	// failure is why the last commit failed. It is nil if the last one succeeded.
	failure atomic.Pointer[error]
	// committing is since when the writer has been waiting for the disk. It is nil if it is not.
	committing atomic.Pointer[time.Time]
	// commit is (*bbolt.Tx).Commit. Tests replace it by a disk that fails.
	commit func(*bbolt.Tx) error
	// committed is Options.Committed.
	committed func(Commit)
	// arrival is closed by the next arrival of a message.
	arrival atomic.Pointer[chan struct{}]
	log     *slog.Logger
}

// Open opens the store in a directory. It makes the directory and the store if they
// are missing; whose they are then, if root makes them, is as Restore says. If another process has the store open, it fails with ErrInUse within
// a second. It refuses a store that is damaged, or that a program of another version wrote, and
// does not change it.
func Open(dir string, opts Options) (*DB, error) {
	if err := makeDir(filepath.Clean(dir)); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	file, err := openFile(filepath.Join(dir, fileName), opts)
	if err != nil {
		return nil, err
	}
	var db *DB
	if err = SyncDir(dir); err == nil {
		db, err = newDB(file, opts)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", file.Path(), err), file.Close())
	}
	// What a Compact that was killed has left. No Compact is running, since the store is open.
	if err := removeLeft(file.Path(), compactSuffix); err != nil {
		db.log.Warn("could not remove the file of an interrupted compaction", "error", err)
	}
	return db, nil
}

// newDB begins an epoch of an open file and starts its writer.
func newDB(file *boltFile, opts Options) (*DB, error) {
	info, err := os.Stat(file.Path())
	if err != nil {
		return nil, err
	}
	latest, err := readLatest(file)
	if err != nil {
		return nil, err
	}
	epoch, clock, commit, err := beginEpoch(file)
	if err != nil {
		return nil, err
	}
	db := &DB{
		bolt:      file,
		file:      info,
		epoch:     epoch,
		opened:    time.Now().Add(-clock),
		noted:     clock,
		writes:    make(chan *write),
		closing:   make(chan struct{}),
		stopped:   make(chan struct{}),
		commit:    (*bbolt.Tx).Commit,
		committed: opts.Committed,
		log:       cmp.Or(opts.Log, slog.Default()),
	}
	db.last.Store(int64(commit))
	db.latest.Store(latest)
	db.arrival.Store(new(make(chan struct{})))
	db.close = sync.OnceValue(db.shut)
	go db.run()
	return db, nil
}

// readOnly returns a store that reads an open file. What would write fails with errClosed.
func readOnly(file *boltFile) *DB {
	db := &DB{bolt: file, closing: make(chan struct{})}
	close(db.closing)
	return db
}

// Capabilities implements driver.Backend. A read takes a few microseconds.
func (db *DB) Capabilities() driver.Capabilities {
	return driver.Capabilities{CommitsTogether: maxBatch, Await: db.await, Clock: db.storeTime}
}

// Do implements driver.Backend. The closures that the writer gets may run after the caller has
// gone, so they hold nothing of the call.
func (db *DB) Do(ctx context.Context, c *driver.Call) (err error) {
	switch c.Method {
	case driver.CallCreateTable, driver.CallCreateQueue:
		err = db.create(ctx, bucketOf(c))
	case driver.CallGet:
		c.Entity, err = db.get(ctx, c)
	case driver.CallRange, driver.CallScan:
		c.Page, err = db.page(ctx, c)
	case driver.CallTransact:
		err = db.transact(ctx, c)
	case driver.CallSend:
		err = db.send(ctx, c)
	case driver.CallReceive:
		c.Messages, err = db.receive(ctx, c)
	case driver.CallUpdate:
		c.Receipt, err = db.update(ctx, c)
	case driver.CallDelete:
		err = db.deleteMessage(ctx, c)
	case driver.CallPeek:
		c.Messages, err = db.peek(ctx, c, c.Limit)
	case driver.CallLength:
		c.Length, err = db.length(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", bucketOf(c), err)
	}
	return nil
}

// bucketOf returns the name of the bucket of the call's table or queue.
func bucketOf(c *driver.Call) []byte {
	if c.OfQueue() {
		return []byte(queuePrefix + c.Target)
	}
	return []byte(tablePrefix + c.Target)
}

func openBucket(tx *bbolt.Tx, name []byte) (*bbolt.Bucket, error) {
	bucket := tx.Bucket(name)
	if bucket == nil {
		return nil, domain.ErrMissing
	}
	return bucket, nil
}

// create makes a bucket, if it is missing.
func (db *DB) create(ctx context.Context, name []byte) error {
	return db.submit(ctx, change{size: len(name), check: func(tx *bbolt.Tx) (func() error, error) {
		if tx.Bucket(name) != nil {
			return nil, errNoChange
		}
		return func() error {
			_, err := tx.CreateBucket(name)
			return errors.Join(err, tx.Bucket(aboutBucket()).Put(name, nil))
		}, nil
	}})
}

// look reads one snapshot of a bucket.
func (db *DB) look(ctx context.Context, name []byte, read func(*bbolt.Bucket) error) error {
	return db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openBucket(tx, name)
		if err != nil {
			return err
		}
		return read(bucket)
	})
}

// change submits a change of a bucket, for which check is change.check.
func (db *DB) change(ctx context.Context, name []byte, c change, check func(*bbolt.Bucket) (apply func() error, err error)) error {
	c.check = func(tx *bbolt.Tx) (func() error, error) {
		bucket, err := openBucket(tx, name)
		if err != nil {
			return nil, err
		}
		return check(bucket)
	}
	return db.submit(ctx, c)
}

// Close finishes the writes that the writer has taken, refuses the others and waits
// for reads to end. Every later call fails with domain.ErrUnavailable. It is an error if the
// file has lost its name, for all that was written is lost.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closing)
	<-db.stopped
	err := db.intact()
	if err == nil {
		if failed := safely(func() error { return db.bolt.Update(db.noteClock) }); failed != nil { // the disk is full
			db.log.Warn("delayed messages will be late, because the time could not be written", "error", failed)
		}
	}
	if err := errors.Join(err, db.bolt.Close()); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// view calls read with one snapshot of the store.
func (db *DB) view(ctx context.Context, read func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	begun, last := false, db.last.Load()
	err := safely(func() error {
		return db.bolt.View(func(tx *bbolt.Tx) error {
			if begun = int64(tx.ID()) >= last; !begun {
				return ErrDamaged // it is another file
			}
			return read(tx)
		})
	})
	switch {
	case !begun && errors.Is(err, ErrDamaged):
		return db.lost()
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return errClosed
	}
	return err
}

// lost ends the process: the file was cut off or overwritten while it was open. bbolt reads the
// headers of the file under locks, and keeps them after a fault there. Then no call could return any
// more, and the store could not be closed.
func (db *DB) lost() error {
	fmt.Fprintf(os.Stderr, "microblogging: %s was cut off or overwritten while this process had it open, which must end: "+
		"put the file back, or restore a backup into another directory, and start again\n", db.bolt.Path())
	os.Exit(1)
	return ErrDamaged
}

var (
	errClosed = fmt.Errorf("%w: the store is closed", domain.ErrUnavailable)
	errBroken = fmt.Errorf("%w: a commit failed half done; open the store again to write", domain.ErrUnavailable)
)
