package bolt

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestHealth(t *testing.T) {
	t.Run("a disk that refuses a write is reported until one succeeds", healthAfterRefusal)
	t.Run("a commit that failed half done is reported for good", healthAfterHalfCommit)
	t.Run("the end of the writer is reported", healthAfterWriter)
	t.Run("a disk that writes again is noticed without a write of anybody", healthAfterProbe)
	t.Run("a commit that hangs is reported while it does", healthWhileCommitHangs)
	t.Run("a file without its name takes no write, and is reported until it has it again", healthWithoutName)
	t.Run("a file without its name is noticed without a write of anybody", healthWithoutNameWhenIdle)
	t.Run("a file that another one has replaced is not closed in peace", healthAfterReplacement)
}

func healthAfterRefusal(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		wantHealthy(t, disk)
		refused := disk.write(t.Context(), driver.Insert("a"))
		disk.next(failBefore)
		if err := <-refused; err == nil {
			t.Fatal("the write succeeded")
		}
		// A write that changes nothing tells nothing about the disk.
		if err := driver.NewTable(disk, "T").Transact(t.Context(), "p", driver.Delete("none", driver.Exists)); !errors.Is(err, domain.ErrNotFound) {
			t.Error(err)
		}
		wantFailed(t, disk)
		again := disk.write(t.Context(), driver.Insert("a"))
		disk.next(commitWell)
		if err := <-again; err != nil {
			t.Error(err)
		}
		wantHealthy(t, disk)
	})
}

func healthAfterProbe(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		time.Sleep(time.Minute)
		if synctest.Wait(); disk.commits != 0 {
			t.Errorf("a healthy disk was probed %d times", disk.commits)
		}
		refused := disk.write(t.Context(), driver.Insert("a"))
		disk.next(failBefore)
		if err := <-refused; err == nil {
			t.Fatal("the write succeeded")
		}
		began := time.Now()
		for range 3 {
			disk.next(failBefore)
			synctest.Wait()
			wantFailed(t, disk)
		}
		disk.next(commitWell)
		synctest.Wait()
		wantHealthy(t, disk)
		if took := time.Since(began); took != 4*probeInterval {
			t.Errorf("four probes took %s", took)
		}
		probes := disk.commits
		time.Sleep(time.Minute)
		if disk.commits != probes {
			t.Errorf("a disk that is well again was probed %d times", disk.commits-probes)
		}
	})
}

func healthAfterHalfCommit(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		half := disk.write(t.Context(), driver.Insert("a"))
		disk.next(failAfter)
		if err := <-half; err == nil {
			t.Fatal("the write succeeded")
		}
		wantFailed(t, disk)
		if err := <-disk.write(t.Context(), driver.Insert("b")); err == nil {
			t.Error("the next write succeeded")
		}
		time.Sleep(time.Minute)
		wantFailed(t, disk)
	})
}

func healthWhileCommitHangs(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		slow := disk.write(t.Context(), driver.Insert("a"))
		<-disk.started
		time.Sleep(10*time.Second - 1)
		wantHealthy(t, disk)
		time.Sleep(time.Nanosecond)
		if err := disk.Health(); !errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), "10s") {
			t.Errorf("health: got %v, want for how long the commit has been under way", err)
		}
		disk.outcome <- commitWell
		if err := <-slow; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		wantHealthy(t, disk)
	})
}

func healthWithoutName(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		var log strings.Builder
		db.log = slog.New(slog.NewTextHandler(&log, nil))
		path := db.bolt.Path()
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			err := driver.NewTable(db, "T").Transact(t.Context(), "p", driver.Insert("a"))
			if !errors.Is(err, domain.ErrUnavailable) || !errors.Is(db.Health(), errNameless) {
				t.Errorf("the write: %v, health: %v", err, db.Health())
			}
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), path) {
			t.Errorf("%d errors in the log, want one with the file: %s", n, log.String())
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		put(t, db, driver.Insert("a"))
		if err := db.Health(); err != nil {
			t.Errorf("with its name again: %v", err)
		}
	})
}

func healthWithoutNameWhenIdle(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		path := db.bolt.Path()
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(nameInterval)
		synctest.Wait()
		if err := db.Health(); !errors.Is(err, errNameless) {
			t.Errorf("without its name: %v", err)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(probeInterval)
		synctest.Wait()
		if err := db.Health(); err != nil {
			t.Errorf("with its name again: %v", err)
		}
	})
}

func healthAfterReplacement(t *testing.T) {
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	other := mustOpen(t, dir, Options{})
	if err := driver.NewTable(db, "T").Create(t.Context()); !errors.Is(err, errNameless) {
		t.Errorf("a write to the file that was replaced: %v", err)
	}
	if err := driver.NewTable(other, "T").Create(t.Context()); err != nil {
		t.Errorf("a write to the other: %v", err)
	}
	if err := db.Backup(t.Context(), io.Discard); err != nil {
		t.Errorf("it cannot be saved: %v", err)
	}
	if err := db.Close(); !errors.Is(err, errNameless) {
		t.Errorf("closing the file that was replaced: %v", err)
	}
}

func healthAfterWriter(t *testing.T) {
	db, err := Open(t.TempDir(), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Health(); err != nil {
		t.Errorf("a new store: %v", err)
	}
	db.commit = func(tx *bbolt.Tx) error {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		runtime.Goexit()
		return nil
	}
	go func() { _ = driver.NewTable(db, "T").Create(t.Context()) }() // nobody answers it
	<-db.stopped
	if err := db.Health(); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("without a writer: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func wantHealthy(t *testing.T, disk *slowDisk) {
	t.Helper()
	if err := disk.Health(); err != nil {
		t.Errorf("health: %v", err)
	}
}

func wantFailed(t *testing.T, disk *slowDisk) {
	t.Helper()
	if err := disk.Health(); !errors.Is(err, errDisk) || !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("health: got %v, want the failure of the disk", err)
	}
}
