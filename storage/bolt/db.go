package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"microblogging/domain"
)

const (
	fileName = "microblogging.db"
	// lockPatience is how long a second process waits for the first to close the
	// store. It is shorter than a person's patience.
	lockPatience = 500 * time.Millisecond
	// mapped is address space that is reserved for the file; it takes no memory.
	// Readers wait only when the file outgrows it and is mapped again.
	mapped = 256 << 20
)

// ErrInUse means that another process has the store open.
var ErrInUse = errors.New("the store is in use by another process")

// Options says how to open a store. The zero value is sound.
type Options struct {
	// NoSync acknowledges a write before it is on the disk. The write survives the
	// death of the process but not a loss of power.
	NoSync bool
	// Log gets the stack of a panic in a library. Nil means slog.Default().
	Log *slog.Logger
}

// DB is an open store. It implements driver.Tables and driver.Queues, and is safe
// for concurrent use.
type DB struct {
	bolt *bbolt.DB
	// epoch counts how often the store was opened; see nextETag.
	epoch uint64
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
	// commit is (*bbolt.Tx).Commit. Tests replace it by a disk that fails.
	commit func(*bbolt.Tx) error
	// arrivals tells those who wait for a queue that its messages have changed.
	arrivals arrivals
	log      *slog.Logger
}

// Open opens the store in a directory. It makes the directory and the store if they
// are missing. If another process has the store open, it fails with ErrInUse within
// a second. It refuses a store that a newer program wrote, and does not change it.
func Open(dir string, opts Options) (*DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	file, err := openFile(filepath.Join(dir, fileName), opts)
	if err != nil {
		return nil, err
	}
	epoch, err := beginEpoch(file)
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", file.Path(), err), file.Close())
	}
	db := &DB{
		bolt:    file,
		epoch:   epoch,
		writes:  make(chan *write),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
		commit:  (*bbolt.Tx).Commit,
		log:     cmp.Or(opts.Log, slog.Default()),
	}
	db.close = sync.OnceValue(db.shut)
	go db.run()
	return db, nil
}

// openFile opens the file, with the list of free pages stored in each commit.
// Without the list, commits would be faster (2 to 3 times in a large cascade), but
// opening would read every page and leave a large file in memory.
func openFile(path string, opts Options) (*bbolt.DB, error) {
	options := &bbolt.Options{
		Timeout:         lockPatience,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapped,
		NoStatistics:    true,
	}
	if runtime.GOOS == "windows" { // here the file grows to the size of its mapping
		options.InitialMmapSize = 0
	}
	file, err := bbolt.Open(path, 0o600, options)
	var system syscall.Errno
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("opening %s: %w", path, ErrInUse)
	case errors.As(err, &system):
		return nil, fmt.Errorf("opening %s: %w", path, err)
	default: // bbolt does not understand the file
		return nil, fmt.Errorf("opening %s: damaged, or %w: %w", path, errForeign, err)
	}
}

// syncDir makes the name of a new file durable. Syncing the file does not.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // here a directory cannot be synced
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close finishes the writes that the writer has taken, refuses the others and waits
// for reads to end. Every later call fails with domain.ErrUnavailable.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closing)
	<-db.stopped
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// view calls read with one snapshot of the store.
func (db *DB) view(ctx context.Context, read func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := db.bolt.View(read)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return errClosed
	}
	return err
}

var (
	errClosed = fmt.Errorf("%w: the store is closed", domain.ErrUnavailable)
	errBroken = fmt.Errorf("%w: a commit failed half done; open the store again to write", domain.ErrUnavailable)
)
