package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
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
	// mapped is address space that is reserved for the file; it takes no memory. Readers wait
	// only when the file outgrows it and is mapped again (backup.go). A damaged page can
	// point as far as 4 GB behind itself. There it must find nothing, which is a fault that
	// says so (damage.go), and not other memory of the process, which would pass for rows.
	mapped = 16 << 30
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
	// CountFree makes Space count the free pages. Each read then takes some 250 ns longer.
	CountFree bool
	// Committed is told of each commit of changes. It must not wait, since the next commit
	// waits for it. Nil tells nobody.
	Committed func(Commit)
	// openFile is os.OpenFile, but for a test.
	openFile func(string, int, fs.FileMode) (*os.File, error)
}

// DB is an open store. It implements driver.Tables and driver.Queues, and is safe
// for concurrent use.
type DB struct {
	bolt *bbolt.DB
	// file is what had the name of the store when it was opened.
	file os.FileInfo
	// epoch is that of this opening; see beginEpoch.
	epoch  uint64
	opened time.Time
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
	// arrivals tells those who wait for a queue that its messages have changed.
	arrivals arrivals
	log      *slog.Logger
}

// Exists reports whether there is a store in the directory.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
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
	var db *DB
	if err = syncDir(dir); err == nil {
		db, err = newDB(file, opts)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", file.Path(), err), file.Close())
	}
	if err := removeUnfinished(file.Path()); err != nil {
		db.log.Warn("what a compaction left behind was not removed", "error", err)
	}
	return db, nil
}

// newDB begins an epoch of an open file and starts its writer.
func newDB(file *bbolt.DB, opts Options) (*DB, error) {
	info, err := os.Stat(file.Path())
	if err != nil {
		return nil, err
	}
	var epoch uint64
	err = safely(func() (err error) { epoch, err = beginEpoch(file); return err })
	if err != nil {
		return nil, err
	}
	db := &DB{
		bolt:      file,
		file:      info,
		epoch:     epoch,
		opened:    time.Now(),
		writes:    make(chan *write),
		closing:   make(chan struct{}),
		stopped:   make(chan struct{}),
		commit:    (*bbolt.Tx).Commit,
		committed: opts.Committed,
		log:       cmp.Or(opts.Log, slog.Default()),
	}
	db.close = sync.OnceValue(db.shut)
	go db.run()
	return db, nil
}

// openFile opens the file, unless a restore into it was interrupted.
func openFile(path string, opts Options) (*bbolt.DB, error) {
	if err := refuseUnfinished(path); err != nil {
		return nil, err
	}
	file, err := openCurrent(path, opts)
	if err != nil {
		return nil, err
	}
	// A restore may have begun, and died, while this process waited for the lock.
	if err := refuseUnfinished(path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// openCurrent opens the file that has the name once it is locked.
func openCurrent(path string, opts Options) (*bbolt.DB, error) {
	for {
		if err := look(path); err != nil {
			return nil, err
		}
		file, current, err := openOnce(path, opts)
		if err != nil || current {
			return file, err
		}
		// While this process waited for the lock, another file was put in its place.
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
	}
}

// openOnce also tells whether the file that it has locked still has the name.
//
// No commit writes the list of free pages: after the deletion of a million rows it has 3 MB,
// and each post would write them. bbolt finds the free pages when it opens the file, by reading
// all others.
func openOnce(path string, opts Options) (db *bbolt.DB, current bool, err error) {
	db, file, err := openBolt(path, &bbolt.Options{
		Timeout:         lockPatience,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: reserved(),
		NoStatistics:    !opts.CountFree,
		OpenFile:        opts.openFile,
	})
	if err != nil {
		return nil, false, err
	}
	locked, err := file.Stat()
	named, err2 := os.Stat(path)
	if err == nil && errors.Is(err2, fs.ErrNotExist) {
		return db, false, nil
	}
	if err := errors.Join(err, err2); err != nil {
		return nil, false, errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
	}
	return db, os.SameFile(locked, named), nil
}

// reserved returns what to reserve of an address space.
func reserved() int {
	if runtime.GOOS == "windows" { // here the file grows to the size of its mapping
		return 0
	}
	return mapped
}

// look opens the file for reading and does what must come before it is opened for writing: it
// refuses a file that is cut off, empty or not ours, and visits each page. bbolt will do so in
// a goroutine of its own, where nobody can catch the panic at a damaged page.
func look(path string) (err error) {
	reading, err := openToRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reading.Close()) }()
	err = safely(func() error {
		return reading.View(func(tx *bbolt.Tx) error {
			return visit(context.Background(), tx, func(string, []byte, []byte) error { return nil })
		})
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	return nil
}

// openToRead opens a file of ours and reads it from its beginning to its end. A file that is not
// in memory would take four times as long in the order of its trees. Until it is closed nobody
// writes to it.
func openToRead(path string) (*bbolt.DB, error) {
	db, file, err := openBolt(path, &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true, InitialMmapSize: reserved()})
	if err != nil {
		// Without the lock it could be a store that another process is just making.
		if info, failed := os.Stat(path); failed == nil && info.Size() == 0 && !errors.Is(err, ErrInUse) {
			err = fmt.Errorf("opening %s: %w", path, errNoBytes)
		}
		return nil, err
	}
	err = safely(func() error { return db.View(checkSchema) })
	if err == nil {
		_, err = io.Copy(io.Discard, io.NewSectionReader(file, 0, math.MaxInt64))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
	}
	return db, nil
}

// openBolt opens the file and says what is wrong with it.
func openBolt(path string, options *bbolt.Options) (db *bbolt.DB, file *os.File, err error) {
	open := options.OpenFile
	if open == nil {
		open = os.OpenFile
	}
	options.OpenFile = func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		var err error
		file, err = open(name, flag, mode)
		return file, err
	}
	err = safely(func() (err error) {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if err == nil {
		if err = safely(func() error { return wantAllBytes(db, file) }); err != nil {
			err = errors.Join(err, db.Close())
		}
	}
	var system syscall.Errno
	switch {
	case err == nil:
		return db, file, nil
	case errors.Is(err, ErrDamaged):
	case errors.Is(err, bolterrors.ErrTimeout):
		err = ErrInUse
	case errors.As(err, &system):
	default: // bbolt does not understand the file
		err = fmt.Errorf("damaged, or %w: %w", errForeign, err)
	}
	return nil, nil, fmt.Errorf("opening %s: %w", path, err)
}

// wantAllBytes refuses a file that was cut off: the rest of its last page would be zeros.
func wantAllBytes(db *bbolt.DB, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return db.View(func(tx *bbolt.Tx) error {
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
		}
		return nil
	})
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
// for reads to end. Every later call fails with domain.ErrUnavailable. It is an error if the
// file has lost its name, for all that was written is lost.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closing)
	<-db.stopped
	if err := errors.Join(db.named(), db.bolt.Close()); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// view calls read with one snapshot of the store.
func (db *DB) view(ctx context.Context, read func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := safely(func() error { return db.bolt.View(read) })
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return errClosed
	}
	return err
}

var (
	errClosed = fmt.Errorf("%w: the store is closed", domain.ErrUnavailable)
	errBroken = fmt.Errorf("%w: a commit failed half done; open the store again to write", domain.ErrUnavailable)
)
