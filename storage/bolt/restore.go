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
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/storage/snapshot"
)

// restoreSuffix ends the name of the file that Restore writes, beside the store's. While
// it is there, nobody opens the store.
const restoreSuffix = ".restore"

var (
	// ErrNotEmpty means that a store has rows already.
	ErrNotEmpty = errors.New("the store is not empty")
	// ErrUnfinished means that a restore has died.
	ErrUnfinished = errors.New("a restore was interrupted")
	// ErrNotWhole means that a file has no whole store, but only a part of one.
	ErrNotWhole = errors.New("it holds deletions alone")
)

// CheckBackup reads a file to its end and returns what it holds. It refuses a file that is
// not whole, or whose schema is newer than this program's.
func CheckBackup(file io.Reader) (snapshot.Summary, error) {
	summary, err := snapshot.Verify(file)
	if err == nil && summary.Schema > schemaVersion {
		err = fmt.Errorf("%w: schema version %d, this program knows %d", snapshot.ErrNewer, summary.Schema, schemaVersion)
	}
	return summary, err
}

// Restore makes the store in a directory from a file that Backup wrote. The store must be
// empty or missing. First it reads the file to its end, and changes nothing if that is not
// whole. Then it writes a file beside the store's, calls finish with the store in it,
// makes it durable and gives it the store's name. Until that moment every other program
// refuses the store with ErrUnfinished, also after a crash, and Restore may begin again.
//
// The errors are those of CheckBackup, ErrNotWhole, ErrNotEmpty and ErrInUse; begin is
// called when none of them can come any more.
func Restore(ctx context.Context, dir string, file io.ReadSeeker, begin func(), finish func(*DB) error) (snapshot.Summary, error) {
	summary, err := CheckBackup(file)
	if err == nil && summary.Content != snapshot.Whole {
		err = ErrNotWhole
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return snapshot.Summary{}, err
	}
	r, err := claimStore(dir)
	if err != nil {
		return snapshot.Summary{}, err
	}
	begin()
	if err := r.restore(ctx, file, summary, finish); err != nil {
		return snapshot.Summary{}, errors.Join(fmt.Errorf("restoring %s: %w", r.path, err), r.abandon())
	}
	return summary, r.close()
}

// A restoring is a restore under way. It has the store locked.
type restoring struct {
	path string
	// store is the empty store, and made tells that it was not there before.
	store *bbolt.DB
	made  bool
	info  fs.FileInfo
}

// claimStore locks the store in a directory, if it is empty. If it fails, nothing has changed,
// but for an empty store that was made.
func claimStore(dir string) (r *restoring, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	r = &restoring{path: resolve(filepath.Join(dir, fileName))}
	_, err = os.Stat(r.path)
	r.made = errors.Is(err, fs.ErrNotExist)
	if r.store, err = openCurrent(r.path, Options{overNoBytes: true}); err != nil {
		return nil, err
	}
	if err = safely(func() error { return r.store.View(wantEmpty) }); err == nil {
		r.info, err = os.Stat(r.path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", r.path, err), r.store.Close())
	}
	return r, nil
}

// resolve follows links, as far as there are files.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
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

// refuseUnfinished refuses a store into which a restore has begun.
func refuseUnfinished(path string) error {
	left := resolve(path) + restoreSuffix
	if _, err := os.Stat(left); err != nil {
		return nil // and if it cannot be looked for, the store cannot be opened either
	}
	return fmt.Errorf("opening %s: %w; run it again, or remove %s to begin with an empty store", path, ErrUnfinished, left)
}

// restore writes the new file and gives it the name of the store.
func (r *restoring) restore(ctx context.Context, file io.Reader, want snapshot.Summary, finish func(*DB) error) error {
	// It is there as long as the store is locked, so that no crash lets others open the store.
	// Before the lock it could mark a store with rows.
	written, err := os.OpenFile(r.path+restoreSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer written.Close() // it has been synced, or is removed
	if err := makeLike(r.info, written); err != nil {
		return err
	}
	target, err := openBolt(written.Name(), unsynced())
	if err != nil {
		return err
	}
	if err := load(ctx, target, file, want); err != nil {
		return errors.Join(err, target.Close())
	}
	db, err := newDB(target, Options{})
	if err != nil {
		return errors.Join(err, target.Close())
	}
	if err := errors.Join(finish(db), db.Close()); err != nil { // Close writes the list of free pages
		return err
	}
	if err := written.Sync(); err != nil {
		return err
	}
	return r.putInPlace(written)
}

// putInPlace gives a file the name of the store. Nobody writes to it before its name is
// durable.
func (r *restoring) putInPlace(written *os.File) (err error) {
	locked, err := openBolt(written.Name(), &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	if runtime.GOOS == "windows" { // here an open file cannot be renamed
		if err := errors.Join(r.store.Close(), locked.Close(), written.Close()); err != nil {
			return err
		}
	}
	if err := os.Rename(written.Name(), r.path); err != nil {
		return err
	}
	r.made = false // there is a store now that must not be removed
	return syncDir(filepath.Dir(r.path))
}

// abandon removes what was written.
func (r *restoring) abandon() (err error) {
	if runtime.GOOS == "windows" { // here an open file cannot be removed
		err = r.close()
	}
	if r.made {
		err = errors.Join(err, os.Remove(r.path))
	}
	if left := os.Remove(r.path + restoreSuffix); !errors.Is(left, fs.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return errors.Join(err, r.close())
}

// close unlocks the store.
func (r *restoring) close() error { return r.store.Close() }

// load writes what the file holds. The file was checked; it is refused again if it has
// changed since.
func load(ctx context.Context, target *bbolt.DB, file io.Reader, want snapshot.Summary) error {
	l := loader{ctx: ctx, target: target}
	read, err := snapshot.Each(file, snapshot.Visitor{Section: l.section, Row: l.row})
	if err == nil && read != want {
		err = snapshot.ErrAltered
	}
	if err != nil {
		return errors.Join(err, l.rollback())
	}
	return l.flush()
}

// A loader fills the buckets of an empty file, some rows in each transaction.
type loader struct {
	ctx    context.Context
	target *bbolt.DB
	name   []byte
	tx     *bbolt.Tx
	bucket *bbolt.Bucket
	size   int
}

func (l *loader) section(name string, sequence uint64) error {
	if name != string(aboutBucket()) && !strings.HasPrefix(name, tablePrefix) && !strings.HasPrefix(name, queuePrefix) {
		return errForeign
	}
	if err := l.flush(); err != nil {
		return err
	}
	l.name = []byte(name)
	if err := l.begin(); err != nil {
		return err
	}
	return l.bucket.SetSequence(sequence)
}

func (l *loader) begin() (err error) {
	if l.tx, err = l.target.Begin(true); err != nil {
		return err
	}
	if l.bucket, err = l.tx.CreateBucketIfNotExists(l.name); err != nil {
		return err
	}
	l.bucket.FillPercent = compactFill
	return nil
}

// row writes a row. The bucket keeps the key and the value until the commit, and the
// visitor's are good until then only if they are copied.
func (l *loader) row(key, value []byte) error {
	if l.tx == nil {
		if err := l.begin(); err != nil {
			return err
		}
	}
	if err := l.bucket.Put(key, append([]byte(nil), value...)); err != nil {
		return err
	}
	if l.size += len(key) + len(value); l.size < compactBytes {
		return nil
	}
	return l.flush()
}

func (l *loader) flush() error {
	if l.tx == nil {
		return nil
	}
	tx := l.tx
	l.tx, l.size = nil, 0
	return errors.Join(tx.Commit(), l.ctx.Err())
}

func (l *loader) rollback() error {
	if l.tx == nil {
		return nil
	}
	return l.tx.Rollback()
}
