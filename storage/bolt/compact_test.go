package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/storage/driver"
)

func TestCompact(t *testing.T) {
	t.Run("gives the space back and keeps every row, message and ETag", compactKeeps)
	t.Run("keeps the mode of the file, and follows a link", compactKeepsMode)
	t.Run("that is told to stop changes nothing", compactIsStopped)
	t.Run("that was killed leaves nothing behind once the store is opened", compactIsKilled)
	t.Run("makes whoever waits for the store open the new file", compactWhileAnotherWaits)
	t.Run("is worth it if half of a large file is free", compactIsWorthIt)
}

// wasteful makes a store of which most is free: 200 rows of 2,000, and a message.
func wasteful(t *testing.T, dir string) {
	t.Helper()
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(driver.NewTable(db, "T").Create(t.Context()), driver.NewQueue(db, "q").Create(t.Context()), driver.NewQueue(db, "q").Send(t.Context(), "text")); err != nil {
		t.Fatal(err)
	}
	var deleted []driver.Operation
	for i := range 20 {
		var inserted []driver.Operation
		for n := range 100 {
			row := fmt.Sprintf("%02d-%03d", n, i)
			inserted = append(inserted, driver.Insert(row, driver.String("Text", strings.Repeat("x", 2000+n))))
			if n >= 10 {
				deleted = append(deleted, driver.Delete(row, driver.Exists))
			}
		}
		put(t, db, inserted...)
	}
	put(t, db, deleted...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// content is every row with its ETag.
func content(t *testing.T, dir string) (rows []string) {
	t.Helper()
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range driver.NewTable(db, "T").All(t.Context(), driver.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%s %s %d", row.Row, row.ETag, len(row.Properties.String("Text"))))
	}
	messages, err := driver.NewQueue(db, "q").Peek(t.Context(), 32)
	if err != nil || len(messages) != 1 || messages[0].Text != "text" {
		t.Errorf("the messages are %v (%v)", messages, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func mustCompact(t *testing.T, dir string) (before, after int64) {
	t.Helper()
	before, after, err := Compact(t.Context(), dir, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}

func compactKeeps(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	rows, path := content(t, dir), filepath.Join(dir, fileName)
	before, after := mustCompact(t, dir)
	if info, err := os.Stat(path); err != nil || info.Size() != after || after > before/4 {
		t.Errorf("%d bytes became %d (%v, %v)", before, after, info, err)
	}
	wantSoundPages(t, path, "after Compact")
	db, err := Open(dir, Options{}) // the first to write, whose ETags would be the first ones
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, driver.Insert("new"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got := content(t, dir)
	etags := map[string]bool{}
	for _, row := range got {
		etags[strings.Fields(row)[1]] = true
	}
	if len(got) != 201 || !slices.Equal(got[:200], rows) || len(etags) != 201 {
		t.Errorf("%d rows became %d with another, or others; they have %d ETags", len(rows), len(got), len(etags))
	}
	mustCompact(t, dir) // nothing to gain is no error
}

func compactKeepsMode(t *testing.T) {
	elsewhere, dir := t.TempDir(), t.TempDir()
	wasteful(t, elsewhere)
	path := filepath.Join(elsewhere, fileName)
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink(path, filepath.Join(dir, fileName))); err != nil {
		t.Fatal(err)
	}
	before, after := mustCompact(t, dir)
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o640 || info.Size() != after || after >= before {
		t.Errorf("the file is now %v (%v)", info, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, fileName)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v (%v)", info, err)
	}
}

func compactIsStopped(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	rows := content(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := Compact(ctx, dir, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v (%v)", entries, err)
	}
	if got := content(t, dir); !slices.Equal(got, rows) {
		t.Errorf("%d rows became %d, or others", len(rows), len(got))
	}
}

// compactIsKilled kills another process that compacts again and again. It is killed at
// some time after the new file appeared.
func compactIsKilled(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	rows, path := content(t, dir), filepath.Join(dir, fileName)
	left := 0
	for looks := range 8 {
		process := startCompacting(t, dir)
		began := time.Now()
		for found := 0; found <= looks*looks*looks*looks; {
			if _, err := os.Stat(path + compactSuffix); err == nil {
				found++
			} else if time.Since(began) > time.Minute {
				t.Fatal("the other process does nothing")
			}
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := process.Wait(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + compactSuffix); err == nil {
			left++
		}
		wantSoundPages(t, path, "after a kill")
		if got := content(t, dir); !slices.Equal(got, rows) {
			t.Fatalf("%d rows became %d, or others", len(rows), len(got))
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the directory holds %v (%v)", entries, err)
		}
	}
	if left == 0 {
		t.Error("no kill came before the end of a compaction")
	}
}

func startCompacting(t *testing.T, dir string) *os.Process {
	t.Helper()
	process, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{
		Env: append(os.Environ(), "MICROBLOGGING_TEST_COMPACT="+dir), Files: []*os.File{nil, nil, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// The file changes between the moment when it is opened and the moment when it is locked.
func compactWhileAnotherWaits(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	opened := 0
	db, err := Open(dir, Options{openFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		file, err := os.OpenFile(name, flag, mode)
		if opened++; opened == 1 {
			mustCompact(t, dir)
		}
		return file, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, driver.Insert("new"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if rows := content(t, dir); len(rows) != 201 || opened != 2 {
		t.Errorf("%d rows, want 200 and what was written after the wait; opened %d times", len(rows), opened)
	}
}

func compactIsWorthIt(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	db, err := Open(dir, Options{CountFree: true})
	if err != nil {
		t.Fatal(err)
	}
	wasted, err := db.Space()
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before, after := mustCompact(t, dir)
	if gain := before - after; wasted.Bytes != before || wasted.Free < gain*9/10 || wasted.Free > before {
		t.Errorf("%+v, and Compact made %d bytes of %d", wasted, after, before)
	}
	for _, c := range []struct {
		space Space
		worth bool
	}{
		{wasted, false}, // too small
		{Space{Bytes: 130 << 20, Free: 64 << 20}, false},
		{Space{Bytes: 128 << 20, Free: 64 << 20}, true},
		{Space{Bytes: 2 << 30, Free: 1900 << 20}, true},
		{Space{Bytes: 2 << 30, Free: 900 << 20}, false},
	} {
		if c.space.WorthCompacting() != c.worth {
			t.Errorf("%+v: want %v", c.space, c.worth)
		}
	}
}

// compactUntilKilled is what the process of compactIsKilled does.
func compactUntilKilled(dir string) error {
	for {
		_, _, err := Compact(context.Background(), dir, func() {})
		if err != nil {
			return err
		}
	}
}
