package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestOpen(t *testing.T) {
	t.Run("refuses a file that is not a store of this program, says why and does not change it", refusedUntouched)
	t.Run("refuses a store in use within a second", storeInUse)
	t.Run("makes the directory for its owner only", newDirectory)
	t.Run("completes a store that was only begun", emptyDatabase)
	t.Run("uses the file that has the name once it is locked", fileOfTheName)
	t.Run("keeps the messages, and ends their leases", reopenedMessages)
	t.Run("shows a delayed message when the store was open for that long in all, and not before", delayedMessages)
	t.Run("opens a file of the layout before, whose number stays unless it has no rows", earlierLayout)
	t.Run("refuses rows that are not accepted, and changes nothing", rowsNotAccepted)
	t.Run("begins another epoch each time, of each store", otherEpochs)
	t.Run("syncs each commit unless the options say no", syncsByDefault)
}

func refusedUntouched(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	for i := range 100 {
		put(t, db, driver.Insert(fmt.Sprintf("row%02d", i)))
	}
	ok(t, db.Close())
	whole := fileOf(t, dir)
	changed := func(change func(*bbolt.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, dir string) { alter(t, dir, change) }
	}
	written := func(file []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { ok(t, os.WriteFile(filepath.Join(dir, fileName), file, 0o600)) }
	}
	for says, make := range map[string]func(t *testing.T, dir string){
		"damaged, or not a MicroBlogging store":        func(t *testing.T, dir string) { ok(t, os.Mkdir(filepath.Join(dir, fileName), 0o700)) },
		"there is no store: the file has no bytes":     written(nil),
		"not a MicroBlogging store: invalid database":  written(bytes.Repeat([]byte{'x'}, 100_000)),
		"MicroBlogging store: invalid database":        written([]byte("x")),
		"damaged (restore a backup":                    written(whole[:len(whole)-1]),
		"damaged (restore a backup into another direc": written(bytes.ReplaceAll(whole, []byte("row50"), []byte("sow50"))),
		": not a MicroBlogging store": changed(func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("of another program"))
			return err
		}),
		"schema version 6, this program knows 5: written by a newer version": changed(ofSchema(6)),
		"schema version 3: written by an earlier build, and this program ha": changed(ofSchema(3)),
	} {
		t.Run(says, func(t *testing.T) {
			dir := t.TempDir()
			make(t, dir)
			before, _ := os.ReadFile(filepath.Join(dir, fileName)) // fails of a directory, each time
			_, err := Open(dir, Options{})
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), filepath.Join(dir, fileName)) {
				t.Errorf("got %v", err)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, fileName)); !bytes.Equal(before, after) {
				t.Error("the refused file was changed")
			}
		})
	}
}

// The program that wrote rows must still open them. It must not open a file in which this one writes the first.
func earlierLayout(t *testing.T) {
	for name, test := range map[string]struct {
		number, want uint32
		rows         int
	}{
		"the layout before with rows":            {oldestSchema, oldestSchema, 1},
		"the layout before with an empty table":  {oldestSchema, schemaVersion, 0},
		"the layout before that was only begun":  {oldestSchema, schemaVersion, -1},
		"the present layout with rows":           {schemaVersion, schemaVersion, 1},
		"the present layout that was only begun": {schemaVersion, schemaVersion, -1},
	} {
		dir := t.TempDir()
		if test.rows >= 0 {
			db := opened(t, dir)
			put(t, db, driver.Insert("row"))
			if test.rows == 0 {
				put(t, db, driver.Delete("row", driver.Exists))
			}
			ok(t, db.Close())
		}
		alter(t, dir, ofSchema(test.number))
		ok(t, mustOpen(t, dir, Options{}).Close())
		mustCompact(t, dir)
		ok(t, Verify(t.Context(), dir))
		alter(t, dir, func(tx *bbolt.Tx) error {
			if got := binary.BigEndian.Uint32(tx.Bucket(aboutBucket()).Get(schemaKey())); got != test.want {
				t.Errorf("%s has the number %d, want %d", name, got, test.want)
			}
			return nil
		})
	}
}

func rowsNotAccepted(t *testing.T) {
	dir, refused := t.TempDir(), errors.New("these rows")
	db := opened(t, dir)
	put(t, db, driver.Insert("row"))
	ok(t, db.Close())
	backup := backupOf(t, dir)
	damaged := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(damaged, fileName), fileOf(t, dir), 0o600))
	alter(t, damaged, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(tablePrefix+"T")).Put(rowKey("p", "damaged"), []byte("no record"))
	})
	for _, dir := range []string{dir, damaged} {
		before, asked := fileOf(t, dir), 0
		opts := Options{Log: slog.New(slog.DiscardHandler), Empty: noRows, Accept: func(db driver.Backend) error {
			asked++
			if _, err := driver.NewTable(db, "T").Get(t.Context(), "p", "row"); err != nil {
				t.Error(err)
			}
			is(t, errClosed, driver.NewTable(db, "T").Transact(t.Context(), "p", driver.Insert("other")))
			return refused
		}}
		_, open := Open(dir, opts)
		_, _, compact := Compact(t.Context(), dir, opts, func(bool) { t.Error("it began") })
		is(t, refused, open, compact, Backup(t.Context(), dir, opts, io.Discard))
		if empty := t.TempDir(); asked == 3 {
			_, err := Restore(t.Context(), empty, bytes.NewReader(backup), opts, func() { t.Error("it began") }, nil)
			is(t, refused, err)
			wantFiles(t, empty)
		}
		if asked != 4 || !bytes.Equal(before, fileOf(t, dir)) {
			t.Errorf("it was asked %d times, and the file was changed: %t", asked, !bytes.Equal(before, fileOf(t, dir)))
		}
	}
}

// ofSchema makes a store of another version.
func ofSchema(version uint32) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		about, err := tx.CreateBucketIfNotExists(aboutBucket())
		return errors.Join(err, about.Put(schemaKey(), binary.BigEndian.AppendUint32(nil, version)))
	}
}

func storeInUse(t *testing.T) {
	dir := t.TempDir()
	mustOpen(t, dir, Options{})
	start := time.Now()
	_, err := Open(dir, Options{})
	is(t, ErrInUse, err)
	if took := time.Since(start); took > time.Second {
		t.Errorf("the refusal took %s", took)
	}
}

func newDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	mustOpen(t, dir, Options{})
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v (%v), want the mode %o", path, info, err, want)
		}
	}
	_, err := Open(filepath.Join(dir, fileName, "data"), Options{})
	if err == nil || !strings.Contains(err.Error(), "data directory") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v of a directory that cannot be made", err)
	}
}

func emptyDatabase(t *testing.T) {
	dir := t.TempDir()
	alter(t, dir, func(*bbolt.Tx) error { return nil })
	opened(t, dir)
}

// The file changes between the moment when it is opened and the moment when it is locked.
func fileOfTheName(t *testing.T) {
	for what, test := range map[string]struct {
		meanwhile func(t *testing.T, dir string)
		rows      int
	}{
		"it was compacted": {func(t *testing.T, dir string) { mustCompact(t, dir) }, 201},
		"it was removed":   {func(t *testing.T, dir string) { ok(t, os.Remove(filepath.Join(dir, fileName))) }, 1},
	} {
		dir := wasteful(t)
		ok(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
		times := 0
		db, err := Open(dir, Options{openFile: func(name string, flag int, mode fs.FileMode) (*os.File, error) {
			file, err := os.OpenFile(name, flag, mode)
			if times++; times == 1 {
				test.meanwhile(t, dir)
			}
			return file, err
		}})
		ok(t, err, driver.NewTable(db, "T").Create(t.Context()))
		put(t, db, driver.Insert("new"))
		ok(t, db.Close())
		if n := len(rowsIn(t, mustOpen(t, dir, Options{}), "T")); n != test.rows || times != 2 {
			t.Errorf("%s: %d rows, want %d; opened %d times", what, n, test.rows, times)
		}
		wantFiles(t, dir, fileName, "other")
	}
}

// rowsIn returns the keys of a table's rows.
func rowsIn(t testing.TB, db *DB, table string) (rows []string) {
	t.Helper()
	for row, err := range driver.NewTable(db, table).All(t.Context(), driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
		ok(t, err)
		rows = append(rows, row.Row)
	}
	return rows
}

func reopenedMessages(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	queue := driver.NewQueue(db, "q")
	send(t, queue, "leased")
	leased, err := queue.Update(t.Context(), received(t, queue, time.Minute)[0], "leased for long", 7*24*time.Hour)
	ok(t, err)
	send(t, queue, "visible")
	for range 2 {
		ok(t, db.Close())
		db = opened(t, dir)
	}
	queue = driver.NewQueue(db, "q")
	is(t, domain.ErrLeaseLost, queue.Delete(t.Context(), leased))
	again := received(t, queue, time.Minute)
	if len(again) != 2 || again[0].Text != "leased for long" || again[0].Deliveries != 2 || again[1].Text != "visible" || again[1].Deliveries != 1 {
		t.Errorf("received %v", again)
	}
}

// The machine may be off for any time in between, and its clock may be set meanwhile.
func delayedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		visible := func(after time.Duration) int {
			db := opened(t, dir)
			queue := driver.NewQueue(db, "q")
			time.Sleep(after)
			messages, err := queue.Peek(t.Context(), 10)
			ok(t, err)
			send(t, queue, "by which the store knows the time")
			ok(t, db.Close())
			return len(messages)
		}
		visible(0)
		db := opened(t, dir)
		ok(t, driver.NewQueue(db, "q").SendDelayed(t.Context(), "delayed", time.Minute), db.Close())
		for round, want := range []int{1, 2, 4} { // with the others
			if got := visible(25 * time.Second); got != want {
				t.Errorf("after %d s, %d messages are visible, want %d", 25*(round+1), got, want)
			}
			time.Sleep(time.Hour)
		}
	})
}

// An ETag never names another version of a row, also outside of the store: a browser keeps a
// page under it, and asks whichever store has the address then.
func otherEpochs(t *testing.T) {
	etags := map[driver.ETag]bool{}
	for range 3 {
		dir := t.TempDir()
		for range 3 {
			db := opened(t, dir)
			put(t, db, driver.Replace("row", driver.Upsert))
			row, err := driver.NewTable(db, "T").Get(t.Context(), "p", "row")
			ok(t, err, db.Close(), os.Remove(filepath.Join(dir, fileName))) // so that all are written alike
			etags[row.ETag] = true
		}
	}
	dir, found := t.TempDir(), map[uint64]bool{}
	for range 5 {
		db := mustOpen(t, dir, Options{})
		found[db.epoch] = true
		ok(t, db.Close())
	}
	if len(etags) != 9 || len(found) != 5 {
		t.Errorf("9 versions have the ETags %v; it was opened 5 times, in the epochs %v", etags, found)
	}
}

func syncsByDefault(t *testing.T) {
	for _, noSync := range []bool{false, true} {
		db := mustOpen(t, t.TempDir(), Options{NoSync: noSync})
		if db.bolt.NoSync != noSync || db.bolt.NoGrowSync != noSync {
			t.Errorf("asked for NoSync %v, got %v, and %v when the file grows", noSync, db.bolt.NoSync, db.bolt.NoGrowSync)
		}
	}
}

func TestCalls(t *testing.T) {
	db := mustOpen(t, t.TempDir(), Options{})
	for _, call := range drivertest.EachCall("nowhere") {
		if call.Method == driver.CallCreateTable || call.Method == driver.CallCreateQueue {
			continue
		}
		err := db.Do(t.Context(), &call)
		if err == nil || !strings.Contains(err.Error(), "nowhere: ") || !errors.Is(err, domain.ErrMissing) || errors.Is(err, domain.ErrNotFound) {
			t.Errorf("%s: got %v, want an error that names what is missing, and no missing row", call.Method, err)
		}
	}
	ok(t, db.Close(), db.Close())
	for _, call := range drivertest.EachCall("nowhere") {
		is(t, domain.ErrUnavailable, db.Do(t.Context(), &call))
	}
}
