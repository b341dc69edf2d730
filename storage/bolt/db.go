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
	// Readers wait only when the file outgrows it and is mapped again. A damaged page can
	// point as far as 4 GB behind itself. There it must find nothing, which is a fault that
	// says so (damage.go), and not other memory of the process, which would pass for rows.
	mapped = 256<<20 + 4<<30
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
	// overNoBytes makes a store in a file of no bytes, for Restore.
	overNoBytes bool
	// These are less than the constants in a test, and openFile is os.OpenFile.
	listIdle    time.Duration
	mapped      int
	growthLeast int64
	openFile    func(string, int, fs.FileMode) (*os.File, error)
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
	// commitList is the same, for the list of free pages alone.
	commitList func(*bbolt.Tx) error
	// committed is Options.Committed.
	committed func(Commit)
	// arrivals tells those who wait for a queue that its messages have changed.
	arrivals arrivals
	// freePages belongs to the writer.
	freePages freePages
	log       *slog.Logger
	// growthLeast is how much the file may grow during a backup, however small it is.
	growthLeast int64
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
		bolt:       file,
		file:       info,
		epoch:      epoch,
		opened:     time.Now(),
		writes:     make(chan *write),
		closing:    make(chan struct{}),
		stopped:    make(chan struct{}),
		commit:     (*bbolt.Tx).Commit,
		commitList: (*bbolt.Tx).Commit,
		committed:  opts.Committed,
		log:        cmp.Or(opts.Log, slog.Default()),
		// The commit of the epoch left the list out.
		freePages:   freePages{missing: true, idle: cmp.Or(opts.listIdle, listIdle)},
		growthLeast: cmp.Or(opts.growthLeast, growthLeast),
	}
	db.close = sync.OnceValue(db.shut)
	go db.run()
	return db, nil
}

// openFile opens the file, unless a restore into it was interrupted. If the file has no
// list of free pages, as after some crashes, bbolt reads every page to find them; see
// freePages.
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
		scanned, err := look(path)
		if err != nil && !(opts.overNoBytes && errors.Is(err, errNoBytes)) {
			return nil, err
		}
		file, current, err := openOnce(path, opts, scanned)
		if err != nil || current {
			return file, err
		}
		// While this process waited for the lock, another file was put in its place.
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
	}
}

// openOnce also tells whether the file that it has locked still has the name. If bbolt is to
// read all pages, they are all mapped before.
func openOnce(path string, opts Options, scanned bool) (db *bbolt.DB, current bool, err error) {
	var opened *os.File
	open := os.OpenFile
	if opts.openFile != nil {
		open = opts.openFile
	}
	options := &bbolt.Options{
		Timeout:         lockPatience,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: reserved(cmp.Or(opts.mapped, mapped)),
		NoStatistics:    !opts.CountFree,
		OpenFile: func(name string, flag int, mode fs.FileMode) (file *os.File, err error) {
			opened, err = open(name, flag, mode)
			return opened, err
		},
	}
	if scanned {
		options.MmapFlags = populated
	}
	if db, err = openBolt(path, options); err != nil {
		return nil, false, err
	}
	db.MmapFlags = 0 // when the file grows, it is mapped anew, and readers wait
	locked, err := opened.Stat()
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
func reserved(mapped int) int {
	if runtime.GOOS == "windows" { // here the file grows to the size of its mapping
		return 0
	}
	return mapped
}

// readOnly returns the options for a file that is read.
func readOnly() *bbolt.Options {
	return &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true, InitialMmapSize: reserved(mapped)}
}

// look opens the file for reading and does what must come before it is opened for
// writing: it refuses a file that is cut off, empty or not ours, and reads a file without a list
// of free pages from its beginning to its end. bbolt scans such a file in the order of
// its trees, which takes many times as long if the file is not in memory. It does so in a
// goroutine of its own, where nobody can catch the panic at a damaged page.
func look(path string) (scanned bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("opening %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reading, err := openBolt(path, readOnly())
	if err != nil {
		// Without the lock it could be a store that another process is just making.
		if info, failed := file.Stat(); failed == nil && info.Size() == 0 && !errors.Is(err, ErrInUse) {
			err = fmt.Errorf("opening %s: %w", path, errNoBytes)
		}
		return false, err
	}
	defer func() { err = errors.Join(err, reading.Close()) }() // until then nobody writes
	err = safely(func() (err error) {
		scanned, err = lookInto(file, reading)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("opening %s: %w", path, err)
	}
	return scanned, nil
}

// lookInto reports whether bbolt will scan the file.
func lookInto(file *os.File, reading *bbolt.DB) (scanned bool, err error) {
	last, ok := lastHead(file)
	info, err := file.Stat()
	switch {
	case err != nil:
		return false, err
	case ok && uint64(info.Size())/last.pageSize < last.pages:
		return false, fmt.Errorf("%w: it has %d bytes of %d", errDamaged, info.Size(), last.pages*last.pageSize)
	}
	if err := reading.View(checkSchema); err != nil || !ok || last.list != noList {
		return false, err
	}
	if err := readAhead(file, int64(last.pages*last.pageSize)); err != nil {
		return false, err
	}
	return true, visitPages(reading)
}

// openBolt opens the file and says what is wrong with it.
func openBolt(path string, options *bbolt.Options) (file *bbolt.DB, err error) {
	err = safely(func() (err error) {
		file, err = bbolt.Open(path, 0o600, options)
		return err
	})
	var system syscall.Errno
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, errDamaged):
		return nil, fmt.Errorf("opening %s: %w", path, err)
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
