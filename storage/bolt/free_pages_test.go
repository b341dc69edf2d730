package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestFreePages(t *testing.T) {
	t.Run("a post after a large deletion writes what it wrote before", postAfterDeletion)
	t.Run("a large list is written when nobody writes, and at the end", largeListWaits)
	t.Run("a small list is written by each commit", smallListIsCarried)
	t.Run("a large list is not written often", largeListIsRare)
	t.Run("a list that cannot be written is reported and nothing else", listFails)
	t.Run("a damaged file is refused while they are looked for", damagedIsRefused)
	t.Run("the file is whole after each commit and in the middle of it", wholeAtEachCommit)
}

// headOf reads the head of the store's file.
func headOf(t *testing.T, path string) head {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	last, ok := lastHead(file)
	if !ok {
		t.Fatal("the file has no head")
	}
	return last
}

func hasList(t *testing.T, db *DB) bool { return headOf(t, db.bolt.Path()).list != noList }

func put(t *testing.T, db *DB, ops ...driver.Operation) {
	t.Helper()
	if err := db.Transact(t.Context(), "T", "p", ops); err != nil {
		t.Fatal(err)
	}
}

// freeMany makes about 2,400 free pages: a list of 5 pages.
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
		time.Sleep(time.Hour) // the list has been written
		if after := pagesOf(t, db, "later"); after > before {
			t.Errorf("after a pause a write takes %d pages, and took %d before", after, before)
		}
	})
}

func largeListWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		freeMany(t, db)
		if hasList(t, db) {
			t.Error("the commit has written the list")
		}
		time.Sleep(listIdle - 1)
		synctest.Wait()
		put(t, db, driver.Insert("a"))
		time.Sleep(listIdle - 1)
		if synctest.Wait(); hasList(t, db) {
			t.Error("the list was written although somebody writes")
		}
		time.Sleep(time.Nanosecond)
		if synctest.Wait(); !hasList(t, db) {
			t.Error("the list was not written although nobody writes")
		}
		written := headOf(t, db.bolt.Path()).commit
		time.Sleep(time.Hour)
		if synctest.Wait(); headOf(t, db.bolt.Path()).commit != written {
			t.Error("the list was written again although nothing has changed")
		}
		put(t, db, driver.Insert("b"))
		path := db.bolt.Path()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if headOf(t, path).list == noList {
			t.Error("a store that was closed has no list")
		}
	})
}

func smallListIsCarried(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		time.Sleep(listIdle)
		synctest.Wait()
		for i := range 20 {
			if put(t, db, driver.Insert(fmt.Sprint(i))); !hasList(t, db) {
				t.Fatalf("write %d left a small list out", i)
			}
		}
		freeMany(t, db)
		if put(t, db, driver.Insert("more")); hasList(t, db) {
			t.Error("the list is large, and a commit has written it")
		}
	})
}

func largeListIsRare(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		freeMany(t, db)
		time.Sleep(listIdle)
		synctest.Wait()
		if pause := time.Until(db.freePages.notBefore); pause < 16*1024*time.Second/listRate || pause > time.Second {
			t.Errorf("the next list may come %s after one of some 20 kB", pause)
		}
		db.freePages.notBefore = time.Now().Add(time.Minute)
		put(t, db, driver.Insert("a"))
		time.Sleep(time.Minute - 1)
		if synctest.Wait(); hasList(t, db) {
			t.Error("the list was written too early")
		}
		time.Sleep(time.Nanosecond)
		if synctest.Wait(); !hasList(t, db) {
			t.Error("the list was not written")
		}
	})
}

func listFails(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		var log strings.Builder
		db.log = slog.New(slog.NewTextHandler(&log, nil))
		db.commitList = failBefore
		put(t, db, driver.Insert("a"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := strings.Count(log.String(), errDisk.Error()); n != 1 || db.Health() != nil {
			t.Errorf("%d reports in %q, health %v", n, log.String(), db.Health())
		}
		db.commitList = failAfter
		put(t, db, driver.Insert("b"))
		time.Sleep(time.Hour)
		if err := db.Transact(t.Context(), "T", "p", []driver.Operation{driver.Insert("c")}); !errors.Is(err, errBroken) {
			t.Errorf("after a commit that failed half done: %v", err)
		}
	})
}

func damagedIsRefused(t *testing.T) {
	for what, damage := range map[string]func(*os.File) error{
		"damaged (restore a backup into another directory): it has": func(file *os.File) error { // a part of its bytes
			info, err := file.Stat()
			if err != nil {
				return err
			}
			return file.Truncate(info.Size() - 1)
		},
		"damaged (restore a backup into another directory): in bucket": func(file *os.File) error { // keys out of order
			all, err := os.ReadFile(file.Name())
			if err != nil {
				return err
			}
			_, err = file.WriteAt(bytes.ReplaceAll(all, []byte("row50"), []byte("sow50")), 0)
			return err
		},
	} {
		dir := t.TempDir()
		inBubble(t, func(t *testing.T, db *DB) {
			for i := range 100 {
				put(t, db, driver.Insert(fmt.Sprintf("row%02d", i)))
			}
			if hasList(t, db) {
				t.Fatal("the file has a list")
			}
			copyPages(t, filepath.Join(dir, fileName), db.bolt.Path(), damage)
		})
		// In another process: what bbolt leaves behind is no matter there.
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), "MICROBLOGGING_TEST_WRITE_TO="+dir)
		out, err := command.CombinedOutput()
		if err == nil || !strings.Contains(string(out), fileName+": "+what) {
			t.Errorf("got %v and %q, want an error that says %q", err, out, what)
		}
	}
}

// wholeAtEachCommit works at random for a while and copies the file after each commit. It
// also makes the file that a loss of power would leave just before the end of the commit,
// when the last page is missing, the one that names the root.
func wholeAtEachCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(12, 6))
		w := &wreck{dir: t.TempDir(), rows: map[string]int{}, random: random}
		w.open(t)
		w.then(t, "a table", func() {
			if err := w.db.CreateTable(t.Context(), "T"); err != nil {
				t.Fatal(err)
			}
		})
		for i := range 60 {
			switch n := random.IntN(10); {
			case n < 6:
				w.then(t, "a write", func() { w.write(t, i) })
			case n < 9:
				w.then(t, "a pause", func() {
					time.Sleep(time.Minute)
					synctest.Wait()
				})
			default:
				w.then(t, "the end", func() { w.close(t) })
				w.then(t, "an opening", func() { w.open(t) })
			}
		}
		w.close(t)
		if w.commits < 50 || w.lists < 15 || w.lists > w.commits*3/4 {
			t.Errorf("%d commits, %d of them with a list", w.commits, w.lists)
		}
	})
}

// A wreck is a store that may be lost at any time.
type wreck struct {
	dir    string
	db     *DB
	rows   map[string]int // the length of each text
	random *rand.Rand
	// commits and lists count the commits, and those that wrote a list.
	commits, lists int
}

func (w *wreck) path() string { return filepath.Join(w.dir, fileName) }

func (w *wreck) open(t *testing.T) {
	t.Helper()
	var err error
	if w.db, err = Open(w.dir, Options{}); err != nil {
		t.Fatal(err)
	}
}

func (w *wreck) close(t *testing.T) {
	t.Helper()
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
}

// write inserts some rows, or deletes most of them.
func (w *wreck) write(t *testing.T, i int) {
	t.Helper()
	var ops []driver.Operation
	if w.random.IntN(5) == 0 {
		for _, row := range slices.Sorted(maps.Keys(w.rows)) {
			if w.random.IntN(10) > 0 {
				ops = append(ops, driver.Delete(row, driver.Exists))
				delete(w.rows, row)
			}
		}
	}
	for n := range 1 + w.random.IntN(60) {
		row, size := fmt.Sprintf("%06d-%02d-%03d", w.random.IntN(1e6), n, i), w.random.IntN(1+w.random.IntN(10_000))
		ops = append(ops, driver.Insert(row, driver.String("Text", strings.Repeat("x", size))))
		w.rows[row] = size
	}
	put(t, w.db, ops...)
}

// then does one step of at most one commit, and looks at what a crash would leave.
func (w *wreck) then(t *testing.T, what string, step func()) {
	t.Helper()
	var before [2][]byte
	rows, from := maps.Clone(w.rows), uint64(0)
	if w.commits > 0 {
		before, from = firstPages(t, w.path()), headOf(t, w.path()).commit
	}
	step()
	last := headOf(t, w.path())
	w.look(t, "after "+what, nil, w.rows)
	if last.commit == from {
		return
	}
	w.commits++
	if last.list != noList {
		w.lists++
	}
	if from == 0 {
		return
	}
	if last.commit != from+1 {
		t.Fatalf("%s took %d commits", what, last.commit-from)
	}
	w.look(t, "in the middle of "+what, func(file *os.File) error {
		_, err := file.WriteAt(before[last.commit%2], int64(last.commit%2*last.pageSize))
		return err
	}, rows)
}

func firstPages(t *testing.T, path string) (pages [2][]byte) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i := range pages {
		pages[i] = make([]byte, os.Getpagesize())
		if _, err := file.ReadAt(pages[i], int64(i*os.Getpagesize())); err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

// look opens a copy of the file and requires that it has these rows, and that each of its
// pages is used once or free.
func (w *wreck) look(t *testing.T, when string, damage func(*os.File) error, rows map[string]int) {
	t.Helper()
	dir := filepath.Join(w.dir, "copy")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fileName)
	copyPages(t, path, w.path(), damage)
	wantSoundPages(t, path, when)
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	found := map[string]int{}
	if _, err := db.Scan(t.Context(), "T", driver.Scan{Paging: driver.Paging{Limit: 1}}); err == nil {
		found = textLengths(t, db)
	}
	if !maps.Equal(found, rows) {
		t.Errorf("%s there are %d rows, or others than the %d that must be there", when, len(found), len(rows))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func textLengths(t *testing.T, db *DB) map[string]int {
	t.Helper()
	found := map[string]int{}
	for row, err := range driver.NewTable(db, "T").All(context.WithoutCancel(t.Context()), driver.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		found[row.Row] = len(row.Properties.String("Text"))
	}
	return found
}

func copyPages(t *testing.T, to, from string, damage func(*os.File) error) {
	t.Helper()
	last := headOf(t, from)
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(target, source, int64(last.pages*last.pageSize)); err != nil {
		t.Fatal(err)
	}
	if damage != nil {
		if err := damage(target); err != nil {
			t.Fatal(err)
		}
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
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
