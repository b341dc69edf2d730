package bolt

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// populated maps a file with all its pages at once. Else each 64 KB that bbolt reads for the
// first time interrupt it.
const populated = syscall.MAP_POPULATE

// advised is how much the kernel is asked to read at a time. It reads no more for one call
// than a disk's read_ahead_kb, which is 128 by default.
const advised = 128 << 10

// readAhead has the kernel read a file of this size into memory, from its beginning to its
// end, and does not wait for the end. What is in memory already is neither read nor copied.
func readAhead(file *os.File, size int64) (err error) {
	mapping, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping the file: %w", err)
	}
	defer func() { err = errors.Join(err, syscall.Munmap(mapping)) }()
	for rest := mapping; len(rest) > 0; rest = rest[min(advised, len(rest)):] {
		if err := syscall.Madvise(rest[:min(advised, len(rest))], syscall.MADV_WILLNEED); err != nil {
			return fmt.Errorf("reading ahead: %w", err)
		}
	}
	return nil
}
