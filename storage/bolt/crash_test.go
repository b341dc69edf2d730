package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestCrash(t *testing.T) {
	t.Run("every acknowledged write survives a killed process", writerIsKilled)
	t.Run("a compaction that was killed leaves nothing behind once the store is opened", drivertest.Long(compactIsKilled))
	t.Run("a restore that was killed leaves a store that only a restore opens", unfinishedIsRefused)
	t.Run("a file that is cut off during a commit ends the process, which says so", fileIsCut)
}

// writeUntilKilled prints the key of each acknowledged write. Each transaction writes two rows;
// neither may be there without the other.
func writeUntilKilled(dir string) error {
	db, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	table := driver.NewTable(db, "T")
	if err := table.Create(context.Background()); err != nil {
		return err
	}
	var out sync.Mutex
	failed := make(chan error)
	for writer := range 8 {
		go func() {
			for i := 0; ; i++ {
				row := fmt.Sprintf("%d-%d-%06d", os.Getpid(), writer, i)
				if err := table.Transact(context.Background(), "p", driver.Insert("a-"+row), driver.Insert("b-"+row)); err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(row)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

func writerIsKilled(t *testing.T) {
	dir := t.TempDir()
	var acknowledged []string
	for range 2 {
		writer := startProcess(t, writeIn, dir)
		for range 200 {
			acknowledged = append(acknowledged, writer.next(t))
		}
		acknowledged = append(acknowledged, writer.kill(t)...)
		wantSound(t, dir)
		db := mustOpen(t, dir, Options{})
		rows := map[string]bool{}
		for _, row := range rowsIn(t, db, "T") {
			rows[row] = true
		}
		for _, row := range acknowledged {
			if !rows["a-"+row] {
				t.Errorf("row %s was acknowledged but is lost", row)
			}
		}
		for row := range rows {
			if twin := string('a'+'b'-row[0]) + row[1:]; !rows[twin] {
				t.Errorf("row %s is there without %s", row, twin)
			}
		}
		ok(t, db.Close())
	}
}

func compactUntilKilled(dir string) error {
	for {
		if _, _, err := Compact(context.Background(), dir, Options{}, func(bool) {}); err != nil {
			return err
		}
	}
}

// compactIsKilled kills the process at some time after the new file appeared.
func compactIsKilled(t *testing.T) {
	dir := wasteful(t)
	rows, left := content(t, dir), 0
	there := func() bool {
		left, err := leftOf(filepath.Join(dir, fileName), compactSuffix)
		return err == nil && len(left) > 0
	}
	for looks := range 8 {
		process, began := startProcess(t, compactIn, dir), time.Now()
		for found := 0; found <= looks*looks*looks*looks; {
			if there() {
				found++
			} else if time.Since(began) > time.Minute {
				t.Fatal("the other process does nothing")
			}
		}
		process.kill(t)
		if there() {
			left++
		}
		wantSound(t, dir)
		wantContent(t, dir, rows)
		wantFiles(t, dir, fileName)
	}
	if left == 0 {
		t.Error("no kill came before the end of a compaction")
	}
}

// cutInCommit cuts the file off when a commit has begun. It is found while bbolt holds its locks.
func cutInCommit(dir string) error {
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		return err
	}
	db.commit = func(tx *bbolt.Tx) error { return errors.Join(os.Truncate(db.bolt.Path(), 0), tx.Commit()) }
	err = db.Do(context.Background(), transaction(driver.Insert("new", driver.String("Text", strings.Repeat("x", 30_000)))))
	return fmt.Errorf("the process goes on: %w", err)
}

func fileIsCut(t *testing.T) {
	dir := wasteful(t)
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), cutIn+"="+dir)
	said, _ := other.CombinedOutput() // the exit code says more
	if other.ProcessState.ExitCode() != 1 || strings.Count(string(said), fileName+" was cut off") != 1 {
		t.Errorf("%v after it said %s", other.ProcessState, said)
	}
}

// TestRestoreKilled of e2e kills one after each call that names a file.
func unfinishedIsRefused(t *testing.T) {
	from, dir := wasteful(t), t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, fileName+restoreSuffix+"1"), nil, 0o600))
	_, err := Open(dir, Options{NoSync: true})
	_, exists := Exists(dir)
	is(t, ErrUnfinished, err, exists, Backup(t.Context(), dir, Options{}, io.Discard))
	if _, _, err := Compact(t.Context(), dir, Options{}, func(bool) {}); err == nil || strings.Contains(err.Error(), "panic") {
		t.Errorf("a compaction: %v", err)
	}
	ok(t, restore(t.Context(), dir, backupOf(t, from)))
	wantFiles(t, dir, fileName)
}
