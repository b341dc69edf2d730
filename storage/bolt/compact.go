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
)

// ErrNoStore means that a directory holds no store.
var ErrNoStore = errors.New("there is no store")

// errNoBytes means that a file was cut off, or that whoever made it was killed at once.
var errNoBytes = fmt.Errorf("%w: the file has no bytes (restore a backup, or remove the file if no site was here)", ErrNoStore)

// Compact gives the free space of the store in a directory back to the disk. It writes
// a file beside the store's with the same rows, makes it durable, and gives it the
// store's name. Before that moment the store is as it was, and after it the new file
// has every row, so a crash at any time leaves one whole store; what is left of the new
// file is removed when the store is opened. While Compact runs the disk holds both. Each row is
// decoded before; a store with one that cannot be decoded is kept, and the error is ErrDamaged.
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
		return 0, 0, errors.Join(fmt.Errorf("compacting %s: %w", path, err), removeIfThere(path+compactSuffix))
	}
	return before, after, nil
}

// noStore says what it means that the file of a store cannot be found.
func noStore(err error, dir string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s", ErrNoStore, dir)
	}
	return err
}

// compactTo writes the new file and gives it the name of the old one.
func compactTo(ctx context.Context, path string, source *bbolt.DB) (before, after int64, err error) {
	err = safely(func() error {
		return source.View(func(tx *bbolt.Tx) error { _, err := readable(ctx, tx); return err })
	})
	if err != nil {
		return 0, 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	written, err := createLike(info, path)
	if err != nil {
		return 0, 0, err
	}
	defer written.Close() // it has been closed, or is removed
	target, _, err := openBolt(written.Name(), unsynced())
	if err != nil {
		return 0, 0, err
	}
	err = safely(func() error { return bbolt.Compact(target, source, compactBytes) })
	if err := errors.Join(err, target.Close(), ctx.Err()); err != nil {
		return 0, 0, err
	}
	now, err := written.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), now.Size(), putInPlace(path, source, written)
}

// putInPlace makes a file durable and gives it the name of the store. old is the store that
// has the name, which is locked until then, or nil. Whoever opens the store afterwards makes
// the name durable before anything else.
func putInPlace(path string, old *bbolt.DB, written *os.File) error {
	if err := errors.Join(written.Sync(), written.Close()); err != nil {
		return err
	}
	if runtime.GOOS == "windows" && old != nil { // here an open file cannot be replaced
		if err := old.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(written.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
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
	if err := removeIfThere(path + compactSuffix); err != nil {
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

// removeUnfinished removes what a Compact that was killed has written. The store must be
// open, so that no Compact is running.
func removeUnfinished(path string) error { return removeIfThere(resolve(path) + compactSuffix) }

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
