package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

// TestHeader damages one of the two headers of a file. bbolt goes on with the other one, which is
// that of the commit before.
func TestHeader(t *testing.T) {
	for i := range 2 {
		t.Run(fmt.Sprintf("a store without header %d is refused until it is compacted", i), func(t *testing.T) { damagedHeader(t, i) })
	}
}

func damagedHeader(t *testing.T, header int) {
	dir := wasteful(t)
	mustCompact(t, dir)
	rows := content(t, dir)
	mustCompact(t, dir)
	damaged := fileOf(t, dir)
	damaged[header*os.Getpagesize()+20] ^= 1
	ok(t, os.WriteFile(filepath.Join(dir, fileName), damaged, 0o600))
	_, open := Open(dir, Options{})
	is(t, errHeader, open, Verify(t.Context(), dir), Backup(t.Context(), dir, Options{}, io.Discard), restore(t.Context(), t.TempDir(), damaged))
	for _, want := range []bool{true, false} {
		_, _, err := Compact(t.Context(), dir, Options{}, func(missing bool) {
			if missing != want {
				t.Errorf("a write may be missing: %t, want %t", missing, want)
			}
		})
		ok(t, err, Verify(t.Context(), dir))
	}
	wantContent(t, dir, rows) // each header of a compacted store has all rows
}

// TestDamagedRow: one row that cannot be read is no reason to give up all others.
func TestDamagedRow(t *testing.T) {
	dir := wasteful(t)
	alter(t, dir, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(tablePrefix+"T")).Put(rowKey("p", "00-000"), []byte("no record"))
	})
	wantUndecodable := func(err error) {
		t.Helper()
		if is(t, ErrDamaged, err); !strings.Contains(fmt.Sprint(err), `table T: row ("p", "00-000")`) {
			t.Errorf("%v does not name the row", err)
		}
	}
	wantUndecodable(Verify(t.Context(), dir))
	var log strings.Builder
	db := mustOpen(t, dir, Options{NoSync: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	wantUndecodable(db.Backup(t.Context(), io.Discard))
	wantUndecodable(db.Verify(t.Context()))
	if !has(t, db, "01-000") || !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "00-000") {
		t.Errorf("the store is open, and the log says %q", log.String())
	}
}

// spoil makes rows and a message that cannot be decoded, in pages that are whole, in addition to
// the 200 rows and the message of wasteful.
func spoil(tx *bbolt.Tx) (err error) {
	table, queue := tx.Bucket([]byte(tablePrefix+"T")), tx.Bucket([]byte(queuePrefix+"q"))
	for i := range 30 {
		err = errors.Join(err, table.Put(rowKey("spoiled", fmt.Sprintf("row%02d", i)), []byte("no record")))
	}
	return errors.Join(err, table.Put([]byte("apart"), encodeRecord([]byte("apart"), "e", encodeProperties(nil))), queue.Put(make([]byte, placeLen), []byte("no message")))
}

// TestCopyRefuses: each way to copy a store refuses what it cannot copy, before it begins, and
// changes nothing.
func TestCopyRefuses(t *testing.T) {
	full, inUse, foreign, spoiled := wasteful(t), t.TempDir(), dirOf(t, []byte("foreign")), wasteful(t)
	file := backupOf(t, full)
	mustOpen(t, inUse, Options{})
	alter(t, spoiled, spoil)
	began := func() { t.Error("it began") }
	begin := func(bool) { began() }
	writer := writerFunc(func([]byte) (int, error) { began(); return 0, nil })
	for way, test := range map[string]struct {
		do      func(dir string) error
		refused map[string]error
	}{
		"backup": {func(dir string) error { return Backup(t.Context(), dir, Options{}, writer) },
			map[string]error{inUse: ErrInUse, foreign: errForeign, t.TempDir(): ErrNoStore}},
		"compact": {func(dir string) error { _, _, err := Compact(t.Context(), dir, Options{}, begin); return err },
			map[string]error{inUse: ErrInUse, foreign: errForeign, t.TempDir(): ErrNoStore}},
		"restore": {func(dir string) error {
			_, err := Restore(t.Context(), dir, bytes.NewReader(file), Options{Empty: noRows}, began, nil)
			return err
		}, map[string]error{inUse: ErrInUse, foreign: errForeign, full: ErrNotEmpty}},
	} {
		for dir, want := range test.refused {
			before, err := os.ReadFile(filepath.Join(dir, fileName))
			is(t, want, test.do(dir))
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
	_, _, compact := Compact(t.Context(), spoiled, Options{}, func(bool) {})
	wantNamed(t, Backup(t.Context(), spoiled, Options{}, writer), compact, wantRefused(t, t.TempDir(), before))
	if wantFiles(t, spoiled, fileName); !bytes.Equal(before, fileOf(t, spoiled)) {
		t.Error("the file has changed")
	}
	wantNamed(t, mustOpen(t, spoiled, Options{}).Backup(t.Context(), writer))
}

// wantNamed requires that errors name what spoil made: as much as has room.
func wantNamed(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		is(t, ErrDamaged, err)
		for _, part := range []string{"rows that cannot be read: 32 of 233", "queue q: message at 0000", `table T: key "apart"`, `table T: row ("spoiled", "row17")`} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
		if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "row18") {
			t.Errorf("%v names too much", err)
		}
	}
}

func TestFreePages(t *testing.T) {
	t.Run("a post after a large deletion writes what it wrote before", postAfterDeletion)
}

// postAfterDeletion makes about 2,400 free pages. The list of them would have 5 pages.
func postAfterDeletion(t *testing.T) {
	db := opened(t, t.TempDir())
	pages := func(row string) (pages int64) {
		db.commit = func(tx *bbolt.Tx) error {
			err := tx.Commit()
			stats := tx.Stats()
			pages = stats.GetPageCount()
			return err
		}
		put(t, db, driver.Insert(row))
		return pages
	}
	before := pages("before")
	var inserted, deleted []driver.Operation
	for i := range 300 {
		inserted = append(inserted, driver.Insert(fmt.Sprintf("many%03d", i), driver.String("Text", strings.Repeat("x", 30_000))))
		deleted = append(deleted, driver.Delete(fmt.Sprintf("many%03d", i), driver.Exists))
	}
	put(t, db, inserted...)
	put(t, db, deleted...)
	if after := pages("after"); after > before {
		t.Errorf("a write takes %d pages, and took %d before", after, before)
	}
}
