package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"microblogging/storage/bolt"
)

// The file of a backup is packed by gzip, whose header says what it holds and of when it is,
// and whose checksum is its end. So a file that was cut off or altered is found, and gzip -d
// makes a store's file of a backup.

// backupComment is the comment of the header.
const backupComment = "MicroBlogging backup: store"

// pack writes the file of a backup. If write fails, the file has no end; nothing is written
// before write writes.
func pack(to io.Writer, write func(io.Writer) error) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	packed.Comment, packed.ModTime = backupComment, time.Now()
	if err := write(packed); err != nil {
		return err
	}
	return packed.Close()
}

// unpack begins to read the file of a backup.
func unpack(file io.Reader) (*gzip.Reader, error) {
	packed, err := gzip.NewReader(file)
	if err == nil && packed.Comment != backupComment {
		err = gzip.ErrHeader
	}
	if err != nil {
		err = fmt.Errorf("not a backup file: %w", err)
	}
	return packed, err
}

// verify reads a file from its beginning to its end, and goes back to its beginning.
func verify(file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	packed, err := unpack(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, packed); err != nil {
		return fmt.Errorf("the backup file is cut short or altered: %w", err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// writeBackup writes the file of a backup. It writes under another name, reads what it has
// written, and gives it the name once it is whole and on the disk. So a file of
// that name is always whole, whichever process was killed. A backup that had the name before is
// replaced at that moment. The name is taken from no other file. A link stays, and the backup is where it leads.
func writeBackup(name string, write func(io.Writer) error) (size int64, err error) {
	if name, err = follow(name); err == nil {
		err = replaceable(name)
	}
	if err != nil {
		return 0, cannotRunError{err}
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".partial-*")
	if err != nil {
		return 0, cannotRunError{err}
	}
	if err = write(file); err == nil {
		if err = verify(file); err != nil {
			err = fmt.Errorf("%s was not written, because the backup did not arrive whole: %w", name, err)
		}
	}
	if err == nil {
		err = file.Sync()
	}
	info, unknown := file.Stat()
	if err = errors.Join(err, unknown, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
		if !errors.Is(err, bolt.ErrDamaged) && unknown == nil && info.Size() == 0 {
			err = cannotRunError{err} // it had not begun
		}
		return 0, err
	}
	return info.Size(), bolt.SyncDir(filepath.Dir(name))
}

// maxLinks is how many links lead to a file at most, as for Linux.
const maxLinks = 40

// follow returns the name of the file to which a name leads if it is a link. The file need not be there.
func follow(name string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(name)
		if err != nil { // it is no link
			return name, nil
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(name)) // since .. in the link is by the real directory
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

// replaceable refuses a name that another file than a backup has.
func replaceable(name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	if _, err := unpack(file); err != nil {
		return fmt.Errorf("%s exists and was not replaced: %w", name, err)
	}
	return nil
}

const (
	// backupPath is where the admin listener gives a backup, and is told that one is complete.
	backupPath = "/backup"
	backupType = "application/octet-stream"
	// backupBusy is how many seconds the next backup should wait for one under way.
	backupBusy = 10
)

// errNoSnapshot is why a store on the network cannot be backed up.
var errNoSnapshot = errors.New("a store in Azure cannot be backed up, because Azure has no snapshot of several tables; " +
	"run microblogging copy --from azure --to bolt:DIR, and back up that copy")

// A backupHandler gives a backup of the open store, with the hashes of passwords. It gives one
// at a time, since each lets the store grow (bolt.DB.Backup).
type backupHandler struct {
	backend *backend
	log     *slog.Logger
	turn    sync.Mutex
}

// ServeHTTP answers GET /backup. If it gives one up, it cuts the connection, and the log says why.
func (h *backupHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodPost {
		h.note(w, r)
		return
	}
	if !h.turn.TryLock() {
		w.Header().Set("Retry-After", strconv.Itoa(backupBusy))
		http.Error(w, "another backup is being taken", http.StatusServiceUnavailable)
		return
	}
	defer h.turn.Unlock()
	w.Header().Set("Content-Type", backupType)
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(adminTime))
	if err == nil {
		err = pack(w, func(w io.Writer) error { return h.backend.backup(r.Context(), w) })
	}
	if err == nil {
		h.log.InfoContext(r.Context(), "backup sent")
		return
	}
	h.log.WarnContext(r.Context(), "backup not sent", "error", err)
	if !errors.Is(err, bolt.ErrDamaged) {
		panic(http.ErrAbortHandler)
	}
	http.Error(w, err.Error(), http.StatusInternalServerError) // nothing was written yet
}

// note answers POST /backup, by which the client says that its file is whole and on its disk. That all
// was sent does not say so: the disk of the client may be full.
func (h *backupHandler) note(w http.ResponseWriter, r *http.Request) {
	if err := bolt.NoteBackup(h.backend.data, time.Now()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h.log.InfoContext(r.Context(), "backup completed")
	w.WriteHeader(http.StatusNoContent)
}
