package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestFreePages(t *testing.T) {
	t.Run("a post after a large deletion writes what it wrote before", postAfterDeletion)
	t.Run("are used again after the store was closed", freePagesAreUsedAgain)
	t.Run("are known of a file that has the list of them, of an earlier version", listOfEarlierVersion)
	t.Run("a damaged file is refused before they are looked for", damagedIsRefused)
}

func put(t *testing.T, db *DB, ops ...driver.Operation) {
	t.Helper()
	if err := db.Do(t.Context(), &driver.Call{Method: driver.CallTransact, Target: "T", Partition: "p", Operations: ops}); err != nil {
		t.Fatal(err)
	}
}

// freeMany makes about 2,400 free pages. The list of them would have 5 pages.
func freeMany(t *testing.T, db *DB) {
	t.Helper()
	text := driver.String("Text", strings.Repeat("x", 30_000))
	var inserted, deleted []driver.Operation
	for i := range 300 {
		inserted = append(inserted, driver.Insert(fmt.Sprintf("many%03d", i), text))
		deleted = append(deleted, driver.Delete(fmt.Sprintf("many%03d", i), driver.Exists))
	}
	put(t, db, inserted...)
	put(t, db, deleted...)
}

// pagesOf returns how many pages the commit of a small write writes.
func pagesOf(t *testing.T, db *DB, row string) (pages int64) {
	t.Helper()
	db.commit = func(tx *bbolt.Tx) error {
		err := tx.Commit()
		stats := tx.Stats()
		pages = stats.GetPageCount()
		return err
	}
	put(t, db, driver.Insert(row))
	return pages
}

func postAfterDeletion(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		before := pagesOf(t, db, "before")
		freeMany(t, db)
		if after := pagesOf(t, db, "after"); after > before {
			t.Errorf("a write takes %d pages, and took %d before", after, before)
		}
	})
}

func freePagesAreUsedAgain(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	before := sizeOf(t, dir)
	db := mustOpen(t, dir, Options{})
	for i := range 50 {
		put(t, db, driver.Insert(fmt.Sprint("new", i), driver.String("Text", strings.Repeat("x", 30_000))))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if after := sizeOf(t, dir); after > before {
		t.Errorf("%d bytes became %d, and most were free", before, after)
	}
}

func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func listOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	rows, path := content(t, dir), filepath.Join(dir, fileName)
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second}) // which writes the list
	if err == nil {
		err = errors.Join(file.Update(func(*bbolt.Tx) error { return nil }), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	before := sizeOf(t, dir)
	for i := range 3 {
		db := mustOpen(t, dir, Options{})
		put(t, db, driver.Insert(fmt.Sprint("new", i), driver.String("Text", strings.Repeat("x", 30_000))))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		wantSoundPages(t, path, "after a list was left out")
	}
	if got := content(t, dir); len(got) != len(rows)+3 || sizeOf(t, dir) > before {
		t.Errorf("%d rows became %d, and %d bytes %d", len(rows), len(got), before, sizeOf(t, dir))
	}
}

func damagedIsRefused(t *testing.T) {
	for what, damage := range map[string]func([]byte) []byte{
		"has": func(file []byte) []byte { return file[:len(file)-1] }, // a part of its bytes
		"key": func(file []byte) []byte { return bytes.ReplaceAll(file, []byte("row50"), []byte("sow50")) },
	} {
		dir := t.TempDir()
		db := mustOpen(t, dir, Options{})
		if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			put(t, db, driver.Insert(fmt.Sprintf("row%02d", i)))
		}
		if err := errors.Join(db.Close(), os.WriteFile(filepath.Join(dir, fileName), damage(fileOf(t, dir)), 0o600)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, Options{})
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fileName) || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want an error that says %q", err, what)
		}
	}
}

// wantSoundPages lets bbolt check the file. It must hold that each page is reachable or
// on the list of free pages, and not both.
func wantSoundPages(t *testing.T, path, when string) {
	t.Helper()
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	err = file.View(func(tx *bbolt.Tx) error {
		var all error
		for err := range tx.Check() {
			all = errors.Join(all, err)
		}
		return all
	})
	if err := errors.Join(err, file.Close()); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}
