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
)

// spoil makes rows and a message that nobody can read, in pages that are whole, beside the
// 200 rows and the message of wasteful.
func spoil(t *testing.T, dir string) {
	t.Helper()
	alter(t, dir, func(tx *bbolt.Tx) (err error) {
		table, queue := tx.Bucket([]byte(tablePrefix+"T")), tx.Bucket([]byte(queuePrefix+"q"))
		for i := range 30 {
			err = errors.Join(err, table.Put(rowKey("spoiled", fmt.Sprintf("row%02d", i)), []byte("no record")))
		}
		return errors.Join(err, table.Put([]byte("apart"), encodeRecord("e", encodeProperties(nil))), queue.Put(make([]byte, placeLen), []byte("no message")))
	})
}

// alter writes to the file without the store.
func alter(t *testing.T, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	file, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	if err == nil {
		err = errors.Join(file.Update(change), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantNamed requires that an error names what spoil made: as much as has room.
func wantNamed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "32 of 234 rows cannot be read") || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), `queue q: message at 0000`) || !strings.Contains(err.Error(), `table T: key "apart"`) || strings.Contains(err.Error(), "row18") ||
		!strings.Contains(err.Error(), `table T: row ("spoiled", "row17")`) {
		t.Errorf("got %v, want the names of what cannot be read", err)
	}
}

// Each way to copy a store refuses what it cannot copy, before it begins, and changes nothing.
func TestCopyRefuses(t *testing.T) {
	full, inUse, foreign, spoiled := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	wasteful(t, full)
	file := backupOf(t, full)
	mustOpen(t, inUse, Options{})
	if err := os.WriteFile(filepath.Join(foreign, fileName), []byte("foreign"), 0o600); err != nil {
		t.Fatal(err)
	}
	wasteful(t, spoiled)
	spoil(t, spoiled)
	began := func() { t.Error("it began") }
	ways := map[string]func(dir string) error{
		"backup": func(dir string) error {
			return Backup(t.Context(), dir, writerFunc(func([]byte) (int, error) { began(); return 0, nil }))
		},
		"compact": func(dir string) error { _, _, err := Compact(t.Context(), dir, began); return err },
		"restore": func(dir string) error {
			_, err := Restore(t.Context(), dir, bytes.NewReader(file), began, nil)
			return err
		},
	}
	for way, do := range ways {
		refused := map[string]error{inUse: ErrInUse, foreign: errForeign, t.TempDir(): ErrNoStore}
		if way == "restore" {
			refused = map[string]error{inUse: ErrInUse, foreign: errForeign, full: ErrNotEmpty}
		}
		for dir, want := range refused {
			before, err := os.ReadFile(filepath.Join(dir, fileName))
			if got := do(dir); !errors.Is(got, want) {
				t.Errorf("%s: got %v, want %v", way, got, want)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, fileName)); !bytes.Equal(before, after) {
				t.Errorf("%s: the file has changed", way)
			}
			if err == nil {
				wantFiles(t, dir, fileName)
			} else {
				wantFiles(t, dir)
			}
		}
	}
	before := fileOf(t, spoiled)
	wantNamed(t, ways["backup"](spoiled))
	_, _, err := Compact(t.Context(), spoiled, func() {})
	wantNamed(t, err)
	wantNamed(t, wantRefused(t, t.TempDir(), before))
	if wantFiles(t, spoiled, fileName); !bytes.Equal(before, fileOf(t, spoiled)) {
		t.Error("the file has changed")
	}
	wantNamed(t, mustOpen(t, spoiled, Options{}).Backup(t.Context(), writerFunc(func([]byte) (int, error) { began(); return 0, nil })))
}

// fileOf returns the bytes of a store's file.
func fileOf(t *testing.T, dir string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return file
}
