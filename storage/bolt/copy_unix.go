//go:build unix

package bolt

import (
	"io/fs"
	"os"
	"syscall"
)

// chownLike gives the file the owner and the group of another. It fails if it may not.
func chownLike(file *os.File, other fs.FileInfo) error {
	if want, ok := other.Sys().(*syscall.Stat_t); ok {
		return file.Chown(int(want.Uid), int(want.Gid))
	}
	return nil
}
