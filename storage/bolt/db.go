package bolt

import (
	"context"
	"errors"
	"fmt"
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
	// lockPatience keeps a second process from waiting for the first one for
	// longer than people wait for a prompt.
	lockPatience = 500 * time.Millisecond
	// mapped is the address space reserved for the file, not memory. Readers
	// wait only when the file outgrows it and is mapped again.
	mapped = 256 << 20
)

// ErrInUse means that another process has the store open.
var ErrInUse = errors.New("the store is in use by another process")

// Options are the ways to open a store. The zero value is right for everything
// but tests and exploration.
type Options struct {
	// NoSync acknowledges writes that are not on the disk yet: they survive the
	// death of the process, but not the loss of power.
	NoSync bool
}

// DB is one open store. It is a driver.Tables and a driver.Queues,
// and safe for concurrent use.
type DB struct {
	bolt *bbolt.DB
	// epoch counts how often the store was opened; see nextETag.
	epoch uint64
	// writes hands a write to the writer. It has no buffer: what was handed over
	// is answered, and what was not is still its sender's.
	writes chan *write
	// closing tells senders and the writer to stop; stopped says that the writer
	// did.
	closing, stopped chan struct{}
	close            func() error
	// broken is set once a commit has failed half done. Nothing is written after.
	broken atomic.Bool
	// commit is (*bbolt.Tx).Commit, but for tests of a failing disk.
	commit func(*bbolt.Tx) error
}

// Open opens the store in a directory, and makes both if they are missing. It
// fails with ErrInUse, within a second, if another process has the store open.
// A store that a newer program wrote is refused and left as it is.
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
	}
	db.close = sync.OnceValue(db.shut)
	go db.run()
	return db, nil
}

// openFile lets bbolt store the list of free pages with each commit. Without it
// commits were faster (2 to 3 times in a large cascade), but opening would read
// every page of the file, and a large store would start with all of it resident.
func openFile(path string, opts Options) (*bbolt.DB, error) {
	options := &bbolt.Options{
		Timeout:         lockPatience,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapped,
		NoStatistics:    true,
	}
	if runtime.GOOS == "windows" { // where a mapping makes the file as large
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
	default: // bbolt does not understand what it read
		return nil, fmt.Errorf("opening %s: damaged, or %w: %w", path, errForeign, err)
	}
}

// syncDir makes the name of a new file as durable as what is in it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // where a directory cannot be synced
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close answers the writes that were taken, refuses the others, and waits for
// reads to end. Every later call fails with domain.ErrUnavailable.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closing)
	<-db.stopped
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// view reads from one snapshot.
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
