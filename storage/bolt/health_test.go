package bolt

import (
	"errors"
	"runtime"
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
		if err := disk.Transact(t.Context(), "T", "p", []driver.Operation{driver.Delete("none", driver.Exists)}); !errors.Is(err, domain.ErrNotFound) {
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
	go func() { _ = db.CreateTable(t.Context(), "T") }() // nobody answers it
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
