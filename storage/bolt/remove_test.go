package bolt_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestRemove(t *testing.T) {
	t.Run("a store is removed with its directory", removesStore)
	t.Run("a store that is open is left alone", removesNoOpenStore)
	t.Run("a directory with other files stays, with them", removesNoOtherFile)
	t.Run("where no store is, nothing is removed and nothing is wrong", removesNothing)
}

func removesStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	fill(t, dir)
	if err := bolt.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there (%v)", err)
	}
}

func removesNoOpenStore(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := bolt.Remove(dir); !errors.Is(err, bolt.ErrInUse) {
		t.Fatalf("removing a store that is open: %v, want ErrInUse", err)
	}
	if err := driver.NewTable(db, "T").Transact(t.Context(), "p", driver.Insert("r")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v (%v), want the store", entries, err)
	}
}

func removesNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	other := filepath.Join(dir, "other")
	if err := errors.Join(os.WriteFile(other, nil, 0o600), bolt.Remove(dir)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "other" {
		t.Errorf("the directory holds %v (%v), want the other file alone", entries, err)
	}
}

func removesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(bolt.Remove(dir), bolt.Remove(filepath.Join(dir, "none"))); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// fill makes a store with a table, and closes it.
func fill(t *testing.T, dir string) {
	t.Helper()
	db, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(driver.NewTable(db, "T").Create(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
}
