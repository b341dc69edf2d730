package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

const (
	// compactSuffix ends the name of the file that Compact writes, beside the store's.
	compactSuffix = ".compact"
	// compactBytes is about how much one transaction of Compact writes.
	compactBytes = 8 << 20
	// compactFill is how full Compact makes a page. The first rows that come later fit
	// without splitting it.
	compactFill = 0.9
)

// ErrNoStore means that a directory holds no store.
var ErrNoStore = errors.New("there is no store")

// errNoBytes means that a file was cut off, or that whoever made it was killed at once.
var errNoBytes = fmt.Errorf("%w: the file has no bytes (restore a backup, or remove the file if no site was here)", ErrNoStore)

// Compact gives the free space of the store in a directory back to the disk. It writes
// a file beside the store's with the same rows, makes it durable, and gives it the
// store's name. Before that moment the store is as it was, and after it the new file
// has every row, so a crash at any time leaves one whole store; what is left of the new
// file is removed when the store is opened. While Compact runs the disk holds both.
//
// The error is ErrInUse while another process has the store open. begin is called when
// the store is open and the work begins. Compact returns the size of the file before
// and after.
func Compact(ctx context.Context, dir string, begin func()) (before, after int64, err error) {
	path, err := filepath.EvalSymlinks(filepath.Join(dir, fileName))
	if err != nil {
		return 0, 0, noStore(err, dir)
	}
	source, err := openFile(path, Options{})
	if err != nil {
		return 0, 0, err
	}
	// The old file stays locked until the new one has its name for good.
	defer func() { err = errors.Join(err, source.Close()) }()
	begin()
	if before, after, err = compactTo(ctx, path, source); err != nil {
		return 0, 0, errors.Join(fmt.Errorf("compacting %s: %w", path, err), removeLeftover(path))
	}
	return before, after, nil
}

// noStore says what it means that the file of a store cannot be found.
func noStore(err error, dir string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s", ErrNoStore, dir)
	}
	return fmt.Errorf("opening the store: %w", err)
}

// compactTo writes the new file and gives it the name of the old one.
func compactTo(ctx context.Context, path string, source *bbolt.DB) (before, after int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	written, err := createLike(info, path)
	if err != nil {
		return 0, 0, err
	}
	defer written.Close() // it has been synced, or is removed
	target, err := openBolt(written.Name(), unsynced())
	if err != nil {
		return 0, 0, err
	}
	// Nobody opens the new file either before its name is durable.
	defer func() { err = errors.Join(err, target.Close()) }()
	err = safely(func() error {
		return source.View(func(tx *bbolt.Tx) error { return copyBuckets(ctx, target, tx) })
	})
	if err != nil {
		return 0, 0, err
	}
	if after, err = finishFile(target, written); err != nil {
		return 0, 0, err
	}
	if runtime.GOOS == "windows" { // here an open file cannot be renamed
		if err := errors.Join(source.Close(), target.Close(), written.Close()); err != nil {
			return 0, 0, err
		}
	}
	if err := os.Rename(written.Name(), path); err != nil {
		return 0, 0, err
	}
	return info.Size(), after, syncDir(filepath.Dir(path))
}

// unsynced returns the options for a file that is synced once all is written.
func unsynced() *bbolt.Options {
	return &bbolt.Options{
		Timeout: lockPatience, NoSync: true, NoGrowSync: true, NoFreelistSync: true,
		FreelistType: bbolt.FreelistMapType, NoStatistics: true,
	}
}

// createLike makes the new file beside the old one, with its mode and its owner.
func createLike(old fs.FileInfo, path string) (*os.File, error) {
	if err := removeLeftover(path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path+compactSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := makeLike(old, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// makeLike gives a file the mode and the owner of another.
func makeLike(old fs.FileInfo, file *os.File) error {
	return errors.Join(chownLike(file, old), file.Chmod(old.Mode().Perm()))
}

// copyBuckets copies every bucket with its sequence, from which ETags and places are made.
func copyBuckets(ctx context.Context, target *bbolt.DB, source *bbolt.Tx) error {
	return source.ForEach(func(name []byte, from *bbolt.Bucket) error {
		cursor := from.Cursor()
		key, value := cursor.First()
		for first := true; first || key != nil; first = false {
			err := target.Update(func(tx *bbolt.Tx) error {
				to, err := tx.CreateBucketIfNotExists(name)
				if err != nil {
					return err
				}
				to.FillPercent = compactFill
				for size := 0; key != nil && size < compactBytes; key, value = cursor.Next() {
					if value == nil {
						return fmt.Errorf("bucket %q in bucket %q: %w", key, name, errForeign)
					}
					if err := to.Put(key, value); err != nil {
						return err
					}
					size += len(key) + len(value)
				}
				return errors.Join(ctx.Err(), to.SetSequence(from.Sequence()))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// finishFile writes the list of free pages and makes the file durable.
func finishFile(target *bbolt.DB, file *os.File) (size int64, err error) {
	target.NoFreelistSync = false
	if err := target.Update(func(*bbolt.Tx) error { return nil }); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// removeLeftover removes what a Compact that was killed has written. The store must be
// open, so that no Compact is running.
func removeLeftover(path string) error {
	if err := os.Remove(path + compactSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeUnfinished is removeLeftover for a path that may lead over links.
func removeUnfinished(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return removeLeftover(real)
}

// Space is what the file takes and what Compact would give back, in bytes.
type Space struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free"`
}

const (
	// worthFree and worthShare are how much must be free for Compact to be worth it, in
	// bytes and as a part of the file.
	worthFree  = 64 << 20
	worthShare = 0.5
)

// WorthCompacting tells whether Compact gives back so much that it is worth stopping the
// server.
func (s Space) WorthCompacting() bool {
	return s.Free >= worthFree && float64(s.Free) >= worthShare*float64(s.Bytes)
}

// Space counts the free pages. The store must be open with CountFree.
func (db *DB) Space() (Space, error) {
	info, err := os.Stat(db.bolt.Path())
	if err != nil {
		return Space{}, err
	}
	var used int64 // with the free pages before the last page that is used
	if err := db.bolt.View(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }); err != nil {
		return Space{}, err
	}
	stats := db.bolt.Stats()
	free := int64(stats.FreePageN+stats.PendingPageN) * int64(db.bolt.Info().PageSize)
	return Space{Bytes: info.Size(), Free: free + max(info.Size()-used, 0)}, nil
}
