package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	fileName = "microblogging.db"
	// lockPatience is how long a second process waits for the first to close the
	// store. It is shorter than a person's patience.
	lockPatience = 500 * time.Millisecond
	// schemaVersion is the number of the layout of the file: the names of buckets, and how keys,
	// records and messages are written. What the rows mean has a version of its own, which is a
	// row (package schema). The layouts from oldestSchema on are the same, so a program opens
	// each of them. It does not change the number of a file that has rows: the program that wrote
	// them must still open it after a copy was made of it. The number is 5 and not 4 so that
	// a program that knows no versions of rows refuses a file of today.
	schemaVersion, oldestSchema = 5, 4
	// Each table and each queue has a bucket.
	tablePrefix = "table "
	queuePrefix = "queue "
)

var (
	// ErrInUse means that another process has the store open.
	ErrInUse = errors.New("the store is in use by another process")
	// ErrDamaged means that a part of the file cannot be read.
	ErrDamaged = errors.New("damaged (restore a backup into another directory)")
	// ErrNoStore means that a directory holds no store.
	ErrNoStore = errors.New("there is no store")

	errForeign = errors.New("not a MicroBlogging store")
	errNewer   = errors.New("written by a newer version of this program")
	errOlder   = errors.New("written by an earlier build, and this program has no way to read it: " +
		"only the build that wrote it serves it. Its users can export what they wrote there (the page /account/export), " +
		"and import posts that in the name of one user, without votes and subscriptions")
	errUndecodable = fmt.Errorf("%w: rows that cannot be read", ErrDamaged)
	// errHeader means that the last commit may be missing.
	errHeader = fmt.Errorf("%w: one of the two headers of the file is invalid, so the last write may be missing; "+
		"to go on without that write, run microblogging compact", ErrDamaged)
	// errNoBytes means that a file was cut off, or that the process was killed right after it made the file.
	errNoBytes = fmt.Errorf("%w: the file has no bytes (restore a backup, or remove the file if no site was here)", ErrNoStore)
)

// aboutBucket is the bucket about the store itself: its schema, and the names of its other
// buckets, each with an empty value.
func aboutBucket() []byte { return []byte("microblogging") }
func schemaKey() []byte   { return []byte("schema") }

// Exists reports whether there is a store in the directory. The error is ErrUnfinished if a restore into
// it was interrupted.
func Exists(dir string) (bool, error) {
	path := filepath.Join(dir, fileName)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, refuseUnfinished(path)
	}
	return err == nil, err
}

// A boltFile is a file that bbolt has open.
type boltFile struct {
	*bbolt.DB
	file *os.File
}

// openFile opens the file, unless a restore into it was interrupted.
func openFile(path string, opts Options) (*boltFile, error) {
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

// openCurrent verifies the file, and opens the one that has the name once it is locked. Rows that
// cannot be read fail what needs them, but one of them is no reason to give up all others.
func openCurrent(path string, opts Options) (*boltFile, error) {
	_, err := readFile(context.Background(), path, opts, nil)
	made := errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil:
	case made:
		if err := wantSpace(path); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
	case errors.Is(err, errUndecodable) && !opts.compacts:
		cmp.Or(opts.Log, slog.Default()).Error("the store has damaged rows; requests that need them fail", "error", err)
	default:
		return nil, err
	}
	file, err := openBolt(path, toWrite(opts))
	if err != nil {
		return nil, err
	}
	locked, err := file.file.Stat()
	named, failed := os.Stat(path)
	switch {
	case err == nil && failed == nil && os.SameFile(locked, named):
		if made {
			err = inherit(path)
		}
		if err == nil {
			return file, nil
		}
	case err == nil && (failed == nil || errors.Is(failed, fs.ErrNotExist)):
		// While this process waited for the lock, another file was put in its place.
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		return openCurrent(path, opts)
	}
	return nil, errors.Join(fmt.Errorf("opening %s: %w", path, errors.Join(err, failed)), file.Close())
}

// toWrite returns how bbolt opens a store to write to it.
//
// No commit writes the list of free pages: after the deletion of a million rows it has 3 MB,
// and each post would write them. bbolt finds the free pages when it opens the file, by reading
// all others.
func toWrite(opts Options) *bbolt.Options {
	return &bbolt.Options{
		Timeout:         lockPatience,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapped,
		OpenFile:        opts.openFile,
	}
}

// readFile opens a file that no process may have open to write, verifies it, and returns how many
// rows it has. If read is not nil, it is called in the same transaction. Unless opts.compacts is set,
// both headers of the file must be valid.
func readFile(ctx context.Context, path string, opts Options, read func(*bbolt.Tx) error) (rows int, err error) {
	options := &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true, InitialMmapSize: mapped}
	file, err := openBolt(path, options)
	if err != nil {
		// Without the lock it could be a store that another process is just making.
		if info, failed := os.Stat(path); failed == nil && info.Size() == 0 && !errors.Is(err, ErrInUse) {
			err = fmt.Errorf("opening %s: %w", path, errNoBytes)
		}
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if !opts.compacts {
		err = wantHeaders(file)
	}
	if err == nil {
		// From its beginning to its end: a file that is not in memory would take four times as
		// long in the order of its trees. An error comes again, and then has the page.
		_, _ = io.Copy(io.Discard, io.NewSectionReader(file.file, 0, math.MaxInt64))
		err = safely(func() error {
			return file.View(func(tx *bbolt.Tx) (err error) {
				rows, err = verify(ctx, tx, file.file)
				if opts.Accept != nil && (err == nil || errors.Is(err, errUndecodable)) {
					err = cmp.Or(opts.Accept(readOnly(file)), err)
				}
				if err != nil || read == nil {
					return err
				}
				return read(tx)
			})
		})
	}
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", path, err)
	}
	return rows, nil
}

// wantSpace returns an error if a new store cannot be written, as on a full disk. bbolt would leave an empty
// file, which the next start would take for one that was cut off. To remove that file is no alternative:
// another process may have filled it by then.
func wantSpace(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+compactSuffix+"-*")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 4*os.Getpagesize())) // the size of a new store
	return errors.Join(err, file.Close(), os.RemoveAll(file.Name()))
}

// openBolt opens the file and says what is wrong with it.
func openBolt(path string, options *bbolt.Options) (*boltFile, error) {
	file, open := &boltFile{}, options.OpenFile
	if open == nil {
		open = os.OpenFile
	}
	options.OpenFile = func(name string, flag int, mode fs.FileMode) (_ *os.File, err error) {
		file.file, err = open(name, flag, mode)
		return file.file, err
	}
	err := safely(func() (err error) {
		file.DB, err = bbolt.Open(path, 0o600, options)
		return err
	})
	var system syscall.Errno
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, ErrDamaged):
	case errors.Is(err, bolterrors.ErrTimeout):
		err = ErrInUse
	case errors.As(err, &system):
	default: // bbolt does not understand the file
		err = fmt.Errorf("damaged, or %w: %w", errForeign, err)
	}
	return nil, fmt.Errorf("opening %s: %w", path, err)
}

// Verify reads the store in a directory, which no process may have open to write, and changes
// nothing. The error is ErrDamaged if any page or row is damaged.
func Verify(ctx context.Context, dir string) error {
	_, err := readFile(ctx, filepath.Join(dir, fileName), Options{}, nil)
	return err
}

// SyncDir makes the name of a new file durable. Syncing the file does not.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // here a directory cannot be synced
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// epochs is how many epochs there are. The least has one digit in base 36, the largest ten.
const epochs = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36

// beginEpoch gives a store that was verified, or is new, an epoch, which is a random
// number. It is part of each ETag. So no ETag of one opening is one of another, of
// the same store, of a store that this one is a copy of, or of one that was lost after the
// backup that this one was restored from. Among 10,000 openings, two have one epoch with a
// probability of 1 in 70 million. No lease of another epoch holds. The clock of the queues goes on. It
// returns the number of its commit too.
func beginEpoch(file *boltFile) (epoch uint64, clock time.Duration, commit int, err error) {
	err = file.Update(func(tx *bbolt.Tx) error {
		commit = tx.ID()
		about, err := tx.CreateBucketIfNotExists(aboutBucket())
		if err != nil {
			return err
		}
		// The rows of a file that has none yet will be those of this program.
		if !hasRows(tx) {
			if err := about.Put(schemaKey(), binary.BigEndian.AppendUint32(nil, schemaVersion)); err != nil {
				return err
			}
		}
		epoch = rand.Uint64N(epochs)
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			if !strings.HasPrefix(string(name), queuePrefix) {
				return nil
			}
			clock = max(clock, time.Duration(bucket.Sequence()))
			return endLeases(bucket)
		})
	})
	return epoch, clock, commit, err
}

// hasRows reports whether any table has a row.
func hasRows(tx *bbolt.Tx) bool {
	tables, prefix := tx.Cursor(), []byte(tablePrefix)
	for name, _ := tables.Seek(prefix); bytes.HasPrefix(name, prefix); name, _ = tables.Next() {
		if row, _ := tx.Bucket(name).Cursor().First(); row != nil {
			return true
		}
	}
	return false
}

// checkSchema returns an error unless the bucket has the version of a store that this program can open.
func checkSchema(version []byte) error {
	if len(version) != 4 {
		return errForeign
	}
	switch v := binary.BigEndian.Uint32(version); {
	case v > schemaVersion:
		return fmt.Errorf("schema version %d, this program knows %d: %w", v, schemaVersion, errNewer)
	case v < oldestSchema:
		return fmt.Errorf("schema version %d: %w", v, errOlder)
	}
	return nil
}

// A panicError is a panic in bbolt, with its stack.
type panicError struct {
	value any
	stack string
}

func (e panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// caught calls work, which looks at the mapped file, and returns a panic there as a
// panicError. bbolt panics at a page that contradicts others, and memory faults at a page that
// the disk cannot read. Either would end the process.
func caught(work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if value := recover(); value != nil {
			err = panicError{value, string(debug.Stack())}
		}
	}()
	return work()
}

// safely is caught for work that needs nothing but pages that can be read. A panic there says
// that the file is damaged.
func safely(read func() error) error {
	err := caught(read)
	var panicked panicError
	if errors.As(err, &panicked) {
		return fmt.Errorf("%w: %v", ErrDamaged, panicked.value)
	}
	return err
}
