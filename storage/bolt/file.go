package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

	"microblogging/storage/driver"
)

const (
	fileName = "microblogging.db"
	// lockPatience is how long a second process waits for the first to close the
	// store. It is shorter than a person's patience.
	lockPatience = 500 * time.Millisecond
	// schemaVersion is the version of everything that this package writes: names of
	// buckets, keys, records and messages. A program refuses a store with a higher
	// version.
	schemaVersion = 1
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
	// errNoBytes means that a file was cut off, or that whoever made it was killed at once.
	errNoBytes = fmt.Errorf("%w: the file has no bytes (restore a backup, or remove the file if no site was here)", ErrNoStore)
)

// aboutBucket is the bucket about the store itself. Its sequence is the epoch; an older
// program counts on from it.
func aboutBucket() []byte { return []byte("microblogging") }
func schemaKey() []byte   { return []byte("schema") }

// Exists reports whether there is a store in the directory.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
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

// openCurrent opens the file that has the name once it is locked. Before that it visits each
// page: bbolt will do so in a goroutine of its own, where nobody can catch the panic at a
// damaged one.
func openCurrent(path string, opts Options) (*bbolt.DB, error) {
	err := readFile(path, func(tx *bbolt.Tx) error {
		return visit(context.Background(), tx, func(string, []byte, []byte) error { return nil })
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	db, file, err := openBolt(path, toWrite(opts))
	if err != nil {
		return nil, err
	}
	locked, err := file.Stat()
	named, failed := os.Stat(path)
	switch {
	case err == nil && failed == nil && os.SameFile(locked, named):
		return db, nil
	case err == nil && (failed == nil || errors.Is(failed, fs.ErrNotExist)):
		// While this process waited for the lock, another file was put in its place.
		if err := db.Close(); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		return openCurrent(path, opts)
	}
	return nil, errors.Join(fmt.Errorf("opening %s: %w", path, errors.Join(err, failed)), db.Close())
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

// readFile opens a file of ours, which nobody may have open to write, and reads it in one
// transaction. It refuses a file that is cut off, empty or not ours.
func readFile(path string, read func(*bbolt.Tx) error) (err error) {
	options := &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true, InitialMmapSize: mapped}
	db, file, err := openBolt(path, options)
	if err != nil {
		// Without the lock it could be a store that another process is just making.
		if info, failed := os.Stat(path); failed == nil && info.Size() == 0 && !errors.Is(err, ErrInUse) {
			err = fmt.Errorf("opening %s: %w", path, errNoBytes)
		}
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err = safely(func() error { return db.View(checkSchema) }); err == nil {
		// From its beginning to its end: a file that is not in memory would take four times as
		// long in the order of its trees.
		_, err = io.Copy(io.Discard, io.NewSectionReader(file, 0, math.MaxInt64))
	}
	if err == nil {
		err = safely(func() error { return db.View(read) })
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
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

// beginEpoch checks that the store is one of ours and gives it an epoch, which is a random
// number. It is part of each ETag. So no ETag of one opening is one of another, of
// the same store, of a store that this one is a copy of, or of one that was lost after the
// backup that this one was restored from. Among 10,000 openings, two have one epoch with a
// probability of 1 in 70 million. No lease of another epoch holds. The clock of the queues goes on.
func beginEpoch(file *bbolt.DB) (epoch uint64, clock time.Duration, err error) {
	if err := file.View(checkSchema); err != nil {
		return 0, 0, err
	}
	err = file.Update(func(tx *bbolt.Tx) error {
		about, err := tx.CreateBucketIfNotExists(aboutBucket())
		if err != nil {
			return err
		}
		version := binary.BigEndian.AppendUint32(nil, schemaVersion)
		if err := about.Put(schemaKey(), version); err != nil {
			return err
		}
		epoch = rand.Uint64N(epochs)
		if err := about.SetSequence(epoch); err != nil {
			return err
		}
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			if !strings.HasPrefix(string(name), queuePrefix) {
				return nil
			}
			clock = max(clock, time.Duration(bucket.Sequence()))
			return endLeases(bucket)
		})
	})
	return epoch, clock, err
}

// checkSchema accepts an empty store, and a store of ours that is no newer than
// this program.
func checkSchema(tx *bbolt.Tx) error {
	about := tx.Bucket(aboutBucket())
	if about == nil {
		if first, _ := tx.Cursor().First(); first != nil {
			return errForeign
		}
		return nil
	}
	version := about.Get(schemaKey())
	if len(version) != 4 {
		return errForeign
	}
	if v := binary.BigEndian.Uint32(version); v > schemaVersion {
		return fmt.Errorf("schema version %d, this program knows %d: %w", v, schemaVersion, errNewer)
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

// visit looks at each key of a file, and so at each page that is in use. The error is
// ErrDamaged if a page cannot be read, or if a key is not in its place.
func visit(ctx context.Context, tx *bbolt.Tx, row func(bucket string, key, value []byte) error) error {
	return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		err := safely(func() error {
			var last []byte
			return bucket.ForEach(func(key, value []byte) error {
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case value == nil:
					return fmt.Errorf("bucket %q: %w", key, errForeign)
				case bytes.Compare(last, key) >= 0:
					return fmt.Errorf("%w: key %q is beside %q", ErrDamaged, key, last)
				}
				last = key
				return row(string(name), key, value)
			})
		})
		if err != nil {
			return fmt.Errorf("in bucket %q: %w", name, err)
		}
		return nil
	})
}

// readable decodes each row and each message, and returns how many there are. What is copied
// is decoded before: whoever keeps the copy may throw the original away. The error is
// ErrDamaged, and names what cannot be decoded.
func readable(ctx context.Context, tx *bbolt.Tx) (rows int, err error) {
	var unread []string
	err = visit(ctx, tx, func(bucket string, key, value []byte) error {
		rows++
		if err := decode(bucket, key, value); err != nil {
			unread = append(unread, fmt.Sprintf("%s: %v", bucket, err))
		}
		return nil
	})
	if n := len(unread); err == nil && n > 0 {
		err = fmt.Errorf("%w: %d of %d rows cannot be read: %s", ErrDamaged, n, rows, strings.Join(unread[:min(n, 20)], "; "))
	}
	return rows, err
}

// decode fails for what no operation could read.
func decode(bucket string, key, value []byte) (err error) {
	switch {
	case strings.HasPrefix(bucket, tablePrefix):
		_, err = decodeRow(key, value, driver.Paging{})
	case strings.HasPrefix(bucket, queuePrefix):
		_, err = decodeMessage(key, value)
	case bucket != string(aboutBucket()):
		err = errForeign
	}
	return err
}
