//go:build unix

package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mapped is address space that is reserved for the file; it takes no memory. Readers wait
// only when the file outgrows it and is mapped again (Backup). A damaged page can
// point as far as 4 GB behind itself. There it must find nothing, which is a fault that
// says so (caught), and not other memory of the process, which would pass for rows.
const mapped = 16 << 30

// noRoom returns the errors of a disk that has no room, of a user's quota and of the largest file.
func noRoom() []error { return []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} }

// chownLike gives the file the owner and the group of another. It fails if it may not.
func chownLike(file *os.File, other fs.FileInfo) error {
	if want, ok := other.Sys().(*syscall.Stat_t); ok {
		return file.Chown(int(want.Uid), int(want.Gid))
	}
	return nil
}

// inherit gives a file or a directory that root has made the owner and the group of the directory that
// it is in. What another user has made stays theirs, and so does what root has made without the right to
// give it away, as on some network drives.
func inherit(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if like, ok := dir.Sys().(*syscall.Stat_t); ok {
		err = os.Lchown(path, int(like.Uid), int(like.Gid)) // no link leads root elsewhere
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
