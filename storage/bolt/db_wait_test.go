package bolt

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWait(t *testing.T) {
	t.Run("for a store that is removed meanwhile makes another", removedWhileAnotherWaits)
}

// The file goes between the moment when it is opened and the moment when it is locked.
func removedWhileAnotherWaits(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := 0
	db, err := Open(dir, Options{openFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		file, err := os.OpenFile(name, flag, mode)
		if opened++; opened == 1 {
			if err := Remove(dir); err != nil {
				t.Error(err)
			}
		}
		return file, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil || opened != 2 {
		t.Errorf("opened %d times (%v)", opened, err)
	}
	wantFiles(t, dir, fileName, "other")
}
