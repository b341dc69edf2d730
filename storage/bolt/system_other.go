//go:build !unix

package bolt

import (
	"io/fs"
	"os"
)

// mapped is nothing: on Windows, the file grows to the size of its mapping.
const mapped = 0

// chownLike does nothing: a new file belongs to the user of this process.
func chownLike(*os.File, fs.FileInfo) error { return nil }

// inherit does nothing, for the same reason.
func inherit(string) error { return nil }
