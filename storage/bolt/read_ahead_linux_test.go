package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestReadAhead(t *testing.T) {
	t.Run("opening a file without a list copies little of it", openingCopiesLittle)
	t.Run("a file that grows is not mapped with all its pages", grownFileIsNotPopulated)
}

// openingCopiesLittle holds for a file of any size. One of 2 GB took half a second of
// processor time when it was read by copying it.
func openingCopiesLittle(t *testing.T) {
	dir := leaveWithoutList(t)
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	before := bytesRead(t)
	db, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if copied := bytesRead(t) - before; copied > info.Size()/10 {
		t.Errorf("opening a file of %d bytes copies %d", info.Size(), copied)
	}
}

func grownFileIsNotPopulated(t *testing.T) {
	db, err := Open(leaveWithoutList(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.bolt.MmapFlags != 0 {
		t.Errorf("the next mapping has the flags %#x", db.bolt.MmapFlags)
	}
}

// leaveWithoutList makes a store of some megabytes whose last commit left the list of free
// pages out, as a crash leaves it.
func leaveWithoutList(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateTable(t.Context(), "T"); err != nil {
		t.Fatal(err)
	}
	text := driver.String("Text", strings.Repeat("x", 30_000))
	for i := range 100 {
		put(t, db, driver.Insert(fmt.Sprintf("row%03d", i), text))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fileName)
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true, NoSync: true})
	if err == nil {
		err = errors.Join(file.Update(func(*bbolt.Tx) error { return nil }), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if headOf(t, path).list != noList {
		t.Fatal("the file has a list")
	}
	return dir
}

// bytesRead counts what the process has read by calls to the system.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}
