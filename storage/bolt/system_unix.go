//go:build unix

package bolt

import (
	"io/fs"
	"os"
	"syscall"
)

// mapped is address space that is reserved for the file; it takes no memory. Readers wait
// only when the file outgrows it and is mapped again (Backup). A damaged page can
// point as far as 4 GB behind itself. There it must find nothing, which is a fault that
// says so (caught), and not other memory of the process, which would pass for rows.
const mapped = 16 << 30

// chownLike gives the file the owner and the group of another. It fails if it may not.
func chownLike(file *os.File, other fs.FileInfo) error {
	if want, ok := other.Sys().(*syscall.Stat_t); ok {
		return file.Chown(int(want.Uid), int(want.Gid))
	}
	return nil
}
