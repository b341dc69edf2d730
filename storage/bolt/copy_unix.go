//go:build unix

package bolt

import (
	"io/fs"
	"os"
	"syscall"
)

// chownLike gives the file the owner and the group of another. It fails if it may not.
func chownLike(file *os.File, other fs.FileInfo) error {
	want, ok := other.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if have, ok := info.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return file.Chown(int(want.Uid), int(want.Gid))
}
