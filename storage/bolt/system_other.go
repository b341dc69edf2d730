//go:build !unix

package bolt

import (
	"io/fs"
	"os"
	"syscall"
)

// mapped is nothing: on Windows, the file grows to the size of its mapping.
const mapped = 0

// noRoom returns the error of a disk that has no room, which Windows calls ERROR_DISK_FULL.
func noRoom() []error { return []error{syscall.Errno(112)} }

// chownLike does nothing: a new file belongs to the user of this process.
func chownLike(*os.File, fs.FileInfo) error { return nil }

// inherit does nothing, for the same reason.
func inherit(string) error { return nil }
