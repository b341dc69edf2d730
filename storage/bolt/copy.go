package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

const (
	// compactSuffix is in the name of the file that Compact writes, next to the store's.
	compactSuffix = ".compact"
	// compactBytes is about how much one transaction of Compact writes.
	compactBytes = 8 << 20
	// restoreSuffix is in the name of the file that Restore writes, next to the store's. While it
	// is there, no process opens the store.
	restoreSuffix = ".restore"
)

var (
	// ErrNotEmpty means that a store has rows already.
	ErrNotEmpty = errors.New("the store is not empty")
	// ErrUnfinished means that a restore has died.
	ErrUnfinished = errors.New("a restore was interrupted")
)

// Backup writes the file of the store while it is in use, as it is at one moment of all tables
// and queues. It verifies it as a restore does, before it writes anything, and writes nothing if the
// error is ErrDamaged.
//
// Writers do not wait for it, but no page of that moment is used again while it is read, so
// the file of a busy store grows meanwhile. A commit that makes the file outgrow its mapping
// would wait, and new readers with it; mapped is so large that few stores get there. So
// a client that reads a backup slowly must not block it without end: ctx ends it.
func (db *DB) Backup(ctx context.Context, to io.Writer) error {
	return db.view(ctx, func(tx *bbolt.Tx) error {
		_, err := verify(ctx, tx, db.bolt.file)
		if err == nil {
			err = backup(ctx, tx, to)
		}
		return err
	})
}

// Backup does the same for the store in a directory, which no process may have open. It
// changes nothing. The error is ErrInUse, ErrUnfinished or ErrNoStore if it cannot begin, or that of
// Options.Accept.
func Backup(ctx context.Context, dir string, opts Options, to io.Writer) error {
	path := resolve(filepath.Join(dir, fileName))
	if err := refuseUnfinished(path); err != nil {
		return err
	}
	_, err := readFile(ctx, path, opts, func(tx *bbolt.Tx) error { return backup(ctx, tx, to) })
	return noStore(err, dir)
}

func backup(ctx context.Context, tx *bbolt.Tx, to io.Writer) error {
	_, err := tx.WriteTo(stopWriter{ctx, to})
	if ctx.Err() != nil {
		err = ctx.Err() // bbolt hides some errors of a writer
	}
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	return nil
}

// A stopWriter writes until ctx ends.
type stopWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w stopWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(b)
}

// noStore says what it means that the file of a store cannot be found.
func noStore(err error, dir string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s", ErrNoStore, dir)
	}
	return err
}

// Compact gives the free space of the store in a directory back to the disk. It writes
// a file next to the store's with the same rows, makes it durable, and gives it the
// store's name. Before that moment the store is as it was, and after it the new file
// has every row, so a crash at any time leaves one whole store; what is left of the new
// file is removed when the store is opened. While Compact runs the disk holds both. The store is
// verified before; one that is damaged is kept, and the error is ErrDamaged.
//
// The error is ErrInUse while another process has the store open. begin is called when
// the store is open and the work begins. missing tells that one of the headers of the file is
// invalid, so that the last write may be missing: only Compact opens such a store.
// Compact returns the size of the file before and after.
func Compact(ctx context.Context, dir string, opts Options, begin func(missing bool)) (before, after int64, err error) {
	path, err := filepath.EvalSymlinks(filepath.Join(dir, fileName))
	if err != nil {
		return 0, 0, noStore(err, dir)
	}
	opts.compacts = true
	source, err := openFile(path, opts)
	if err != nil {
		return 0, 0, err
	}
	// The old file stays locked until the new one has its name for good.
	defer func() { err = errors.Join(err, source.Close()) }()
	begin(wantHeaders(source) != nil)
	old, err := os.Stat(path)
	if err == nil {
		err = replace(path, compactSuffix, source.Close, func(file *os.File) error {
			return compact(ctx, source, file.Name())
		})
	}
	if err != nil {
		return 0, 0, fmt.Errorf("compacting %s: %w", path, err)
	}
	compacted, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return old.Size(), compacted.Size(), nil
}

// compact copies a store to a new file.
func compact(ctx context.Context, source *boltFile, path string) error {
	target, err := openBolt(path, unsynced())
	if err != nil {
		return err
	}
	err = safely(func() error { return bbolt.Compact(target.DB, source.DB, compactBytes) })
	if err == nil { // so that both headers have all rows
		err = target.Update(func(*bbolt.Tx) error { return nil })
	}
	return errors.Join(err, target.Close(), ctx.Err())
}

// replace fills a new file next to the store, makes it durable and gives it the store's name. If
// that fails, nothing has changed. The file has the mode and the owner of the store. A process
// that opens the store afterwards makes the name durable before anything else. release gives up the
// lock of the store.
func replace(path, suffix string, release func() error, fill func(*os.File) error) error {
	// Another restore that is under way finds that its file is gone.
	if err := removeLeft(path, suffix); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+suffix+"-*")
	if err != nil {
		return err
	}
	if old, failed := os.Stat(path); failed == nil {
		err = errors.Join(chownLike(file, old), file.Chmod(old.Mode().Perm()))
	}
	if err == nil {
		err = fill(file)
	}
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err == nil && runtime.GOOS == "windows" { // here an open file cannot be replaced
		err = release()
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = file.Close() // windows removes no open file
		return errors.Join(err, os.RemoveAll(file.Name()))
	}
	return SyncDir(filepath.Dir(path))
}

// Restore makes the store in a directory of what Backup wrote, and returns how many rows it
// has. The store must be empty or missing. Restore writes a file next to the store's, verifies
// it, calls finish with the store in it, makes it durable and gives it the store's name.
// That is the commit: before, there is no store, or the empty one, which every other program
// refuses with ErrUnfinished, also after a crash. Then Restore may begin again.
//
// If root restores, the file gets the owner and the group of its directory, and each directory that
// Restore makes those of its parent. Otherwise the user of the service could not open the store.
//
// begin is called when all was verified, and Options.Accept has accepted it. An error before it means that
// nothing has changed.
func Restore(ctx context.Context, dir string, from io.Reader, opts Options, begin func(), finish func(*DB) error) (rows int, err error) {
	made := missingDirs(filepath.Clean(dir))
	defer func() {
		for _, dir := range made {
			if err != nil {
				_ = os.Remove(dir) // which does nothing if anything is in it
			}
		}
	}()
	if err := makeDir(filepath.Clean(dir)); err != nil {
		return 0, fmt.Errorf("making the data directory: %w", err)
	}
	path := resolve(filepath.Join(dir, fileName))
	empty, err := lockEmpty(path, opts)
	if err != nil {
		return 0, err
	}
	release := func() error {
		if empty == nil {
			return nil
		}
		return empty.Close()
	}
	defer func() { err = errors.Join(err, release()) }()
	err = replace(path, restoreSuffix, release, func(file *os.File) (err error) {
		if err := inherit(file.Name()); err != nil {
			return err
		}
		if _, err := io.Copy(stopWriter{ctx, file}, from); err != nil {
			return err
		}
		if rows, err = readFile(ctx, file.Name(), opts, nil); err != nil {
			return err
		}
		begin()
		err = errors.Join(useUnnamed(file.Name(), finish), ctx.Err())
		if err == nil && empty == nil { // another process may have made one meanwhile
			empty, err = lockEmpty(path, opts)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("restoring %s: %w", path, err)
	}
	return rows, nil
}

// missingDirs returns the directory and its parents, as far as they are missing, the innermost first.
func missingDirs(dir string) (missing []string) {
	for ; ; dir = filepath.Dir(dir) {
		_, there := os.Stat(dir)
		if !errors.Is(there, fs.ErrNotExist) || slices.Contains(missing, dir) { // the second is a drive
			return missing
		}
		missing = append(missing, dir)
	}
}

// makeDir makes a directory and its parents, where they are missing.
func makeDir(dir string) error {
	missing := missingDirs(dir)
	if len(missing) == 0 {
		return os.MkdirAll(dir, 0o700) // does nothing, or the error says what is in the way
	}
	for _, dir := range slices.Backward(missing) {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := inherit(dir); err != nil {
			return err
		}
	}
	return nil
}

// lockEmpty locks the store if there is one, and refuses one that is not Empty. Tables without
// rows are no content, and neither is a message, which is about rows. It returns nil if there
// is no store.
func lockEmpty(path string, opts Options) (*boltFile, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	file, err := openCurrent(path, Options{})
	if errors.Is(err, errNoBytes) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	empty, err := opts.Empty(readOnly(file))
	if err == nil && !empty {
		err = ErrNotEmpty
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), file.Close())
	}
	return file, nil
}

// useUnnamed opens a store that has not got its name yet.
func useUnnamed(path string, finish func(*DB) error) error {
	file, err := openBolt(path, unsynced())
	if err != nil {
		return err
	}
	db, err := newDB(file, Options{})
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(finish(db), db.Close())
}

// unsynced returns the options for a file that is synced once all is written.
func unsynced() *bbolt.Options {
	options := toWrite(Options{NoSync: true})
	options.InitialMmapSize = 0
	return options
}

// refuseUnfinished refuses a store into which a restore has begun.
func refuseUnfinished(path string) error {
	left, err := leftOf(path, restoreSuffix)
	if err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("opening %s: %w; run it again, or remove %s to begin with an empty store", path, ErrUnfinished, left[0])
}

// leftOf returns the files that replace is filling, or has left when it was killed.
func leftOf(path, suffix string) (files []string, err error) {
	path = resolve(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+suffix) {
			files = append(files, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return files, nil
}

func removeLeft(path, suffix string) error {
	left, err := leftOf(path, suffix)
	for _, file := range left {
		err = errors.Join(err, os.RemoveAll(file)) // another may have removed it
	}
	return err
}

// resolve follows links, as far as there are files.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Space is what the file takes and what Compact would give back, in bytes.
type Space struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free"`
}

// WorthCompacting reports whether Compact gives back so much that it is worth stopping the
// server: half of a file, and not little.
func (s Space) WorthCompacting() bool { return s.Free >= 64<<20 && 2*s.Free >= s.Bytes }

// Space counts the free pages.
func (db *DB) Space() (Space, error) {
	info, err := os.Stat(db.bolt.Path())
	if err != nil {
		return Space{}, err
	}
	var used int64 // with the free pages before the last page that is used
	if err := db.view(context.Background(), func(tx *bbolt.Tx) error { used = tx.Size(); return nil }); err != nil {
		return Space{}, err
	}
	stats := db.bolt.Stats()
	free := int64(stats.FreePageN+stats.PendingPageN) * int64(db.bolt.Info().PageSize)
	return Space{Bytes: info.Size(), Free: free + max(info.Size()-used, 0)}, nil
}
