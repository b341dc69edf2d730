package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
)

// A Disk is what the disk of a store holds, in bytes. It is zero if that is unknown.
type Disk struct{ Bytes, Free int64 }

// FullDisk reports whether an error says that the disk has no room.
func FullDisk(err error) bool {
	return slices.ContainsFunc(noRoom(), func(full error) bool { return errors.Is(err, full) })
}

// backupName is the file next to the store's that says when the last backup was completed.
const backupName = "last-backup"

// NoteBackup writes to the directory of a store that a backup of it was completed then. This
// is not in the store, which a backup does not change, and which may have no room for it. If it
// fails, the former note stays: without one, nothing would tell that the last backup is old.
func NoteBackup(dir string, on time.Time) error {
	return WriteBeside(dir, backupName, on.UTC().Format(time.RFC3339))
}

// WriteBeside writes one line to a file of the directory of a store, which replaces a file of that name. It is there
// whole or not at all, and only its owner can read it. If it fails, the former file stays.
func WriteBeside(dir, name, line string) error {
	path := filepath.Join(dir, name)
	next := path + ".partial"
	// A new file, since the user of the former one may not be that of the service.
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, line)
	err = errors.Join(err, inherit(next), file.Sync(), file.Close()) // windows renames no open file
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(next))
	}
	return nil
}

// LastBackup returns the time of the last NoteBackup. It is zero if there was none. Of a note that cannot be read, or
// that is of a time to come, it returns an error and the beginning of 1970. So an alert about its age fires.
func (db *DB) LastBackup() (time.Time, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(db.bolt.Path()), backupName))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	var on time.Time
	if err == nil {
		on, err = time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	}
	if err == nil && time.Until(on) > domain.ClockTolerance {
		err = errors.New("it is of a time to come")
	}
	if err != nil {
		return time.Unix(0, 0), fmt.Errorf("reading when the last backup was completed, from %s: %w", backupName, err)
	}
	return on, nil
}
