package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"
)

// restoreSuffix is in the name of the file that Restore writes, beside the store's. While it
// is there, nobody opens the store.
const restoreSuffix = ".restore"

var (
	// ErrNotEmpty means that a store has rows already.
	ErrNotEmpty = errors.New("the store is not empty")
	// ErrUnfinished means that a restore has died.
	ErrUnfinished = errors.New("a restore was interrupted")
)

// Restore makes the store in a directory of what Backup wrote, and returns how many rows it
// has. The store must be empty or missing. Restore writes a file beside the store's, decodes
// each row, calls finish with the store in it, makes it durable and gives it the store's name.
// That is the commit: before, there is no store, or the empty one, which every other program
// refuses with ErrUnfinished, also after a crash. Then Restore may begin again.
//
// begin is called when all was decoded. An error before it means that nothing has changed.
func Restore(ctx context.Context, dir string, from io.Reader, begin func(), finish func(*DB) error) (rows int, err error) {
	if _, there := os.Stat(dir); errors.Is(there, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				_ = os.Remove(dir) // which does nothing if anything is in it
			}
		}()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("making the data directory: %w", err)
	}
	r := &restoring{path: resolve(filepath.Join(dir, fileName))}
	if err := r.claim(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.release()) }()
	if err := removeRestores(r.path); err != nil {
		return 0, err
	}
	// Another restore that is under way finds that its file is gone.
	written, err := os.CreateTemp(filepath.Dir(r.path), filepath.Base(r.path)+restoreSuffix+"-*")
	if err != nil {
		return 0, err
	}
	rows, err = r.restore(ctx, from, written, begin, finish)
	if err != nil {
		_ = written.Close() // windows removes no open file
		return 0, errors.Join(fmt.Errorf("restoring %s: %w", r.path, err), removeIfThere(written.Name()))
	}
	return rows, nil
}

// A restoring is a restore under way.
type restoring struct {
	path string
	// empty is the store that was there, which is locked. It is nil if there was none.
	empty *bbolt.DB
}

// claim locks the store if there is one, and refuses one that has rows.
func (r *restoring) claim() (err error) {
	_, err = os.Stat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		r.empty, err = openCurrent(r.path, Options{})
	}
	if errors.Is(err, errNoBytes) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := safely(func() error { return r.empty.View(wantEmpty) }); err != nil {
		return errors.Join(fmt.Errorf("opening %s: %w", r.path, err), r.release())
	}
	return nil
}

func (r *restoring) release() error {
	if r.empty == nil {
		return nil
	}
	return r.empty.Close()
}

// wantEmpty refuses a store with rows. Tables without rows are no content, and neither is
// a message, which is about rows.
func wantEmpty(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		if first, _ := bucket.Cursor().First(); first != nil && strings.HasPrefix(string(name), tablePrefix) {
			return ErrNotEmpty
		}
		return nil
	})
}

func (r *restoring) restore(ctx context.Context, from io.Reader, written *os.File, begin func(), finish func(*DB) error) (rows int, err error) {
	if r.empty != nil {
		info, err := os.Stat(r.path)
		if err == nil {
			err = makeLike(info, written)
		}
		if err != nil {
			return 0, err
		}
	}
	if _, err := io.Copy(stopWriter{ctx, written}, from); err != nil {
		return 0, err
	}
	if rows, err = countRows(ctx, written.Name()); err != nil {
		return 0, err
	}
	begin()
	if err := errors.Join(useUnnamed(written.Name(), finish), ctx.Err()); err != nil {
		return 0, err
	}
	if r.empty == nil { // somebody may have made one meanwhile
		if err := r.claim(); err != nil {
			return 0, err
		}
	}
	return rows, putInPlace(r.path, r.empty, written)
}

// countRows requires that a file is a store whose rows can be read.
func countRows(ctx context.Context, path string) (rows int, err error) {
	file, err := openToRead(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	err = safely(func() error {
		return file.View(func(tx *bbolt.Tx) (err error) { rows, err = readable(ctx, tx); return err })
	})
	return rows, err
}

// useUnnamed opens a store that has not got its name yet.
func useUnnamed(path string, finish func(*DB) error) error {
	file, _, err := openBolt(path, unsynced())
	if err != nil {
		return err
	}
	db, err := newDB(file, Options{})
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(finish(db), db.Close())
}

// refuseUnfinished refuses a store into which a restore has begun.
func refuseUnfinished(path string) error {
	left, err := restoresOf(path)
	if err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("opening %s: %w; run it again, or remove %s to begin with an empty store", path, ErrUnfinished, left[0])
}

func removeRestores(path string) error {
	left, err := restoresOf(path)
	for _, file := range left {
		err = errors.Join(err, removeIfThere(file))
	}
	return err
}

// restoresOf returns the files of restores into a store that have not ended.
func restoresOf(path string) (files []string, err error) {
	path = resolve(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+restoreSuffix) {
			files = append(files, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return files, nil
}

// resolve follows links, as far as there are files.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
