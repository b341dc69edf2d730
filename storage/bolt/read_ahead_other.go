//go:build !linux

package bolt

import (
	"io"
	"os"
)

// populated is no flag here.
const populated = 0

// readAhead reads a file into the system's memory, from its beginning to its end.
func readAhead(file *os.File, _ int64) error {
	_, err := io.Copy(io.Discard, file)
	return err
}
