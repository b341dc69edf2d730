package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Remove removes the store in a directory with all that it holds, and the directory if
// nothing else is in it. It does nothing if there is no store. The error is ErrInUse while
// another process has the store open; then nothing is removed.
//
// The file is locked until it is gone. A process that waits for the lock finds that the
// file has lost its name, and makes another.
func Remove(dir string) (err error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	file, _, err := openOnce(path, Options{NoSync: true})
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // here an open file cannot be removed
		if err := file.Close(); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Remove(path), file.Close()); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !holdsMore(dir) {
		return err
	}
	return nil
}

// holdsMore tells whether a directory is not empty.
func holdsMore(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}
