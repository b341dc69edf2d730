//go:build linux || darwin

package bolt

import (
	"os"
	"path/filepath"
	"syscall"
)

// Disk returns the size of the disk on which the file is, and how much of it the user of this process may
// still fill.
func (db *DB) Disk() (Disk, error) {
	var fs syscall.Statfs_t
	dir := filepath.Dir(db.bolt.Path())
	if err := syscall.Statfs(dir, &fs); err != nil {
		return Disk{}, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	unit := int64(fs.Bsize)
	return Disk{Bytes: int64(fs.Blocks) * unit, Free: int64(fs.Bavail) * unit}, nil
}
