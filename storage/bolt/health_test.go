package bolt

import (
	"errors"
	"runtime"
	"testing"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestHealth(t *testing.T) {
	t.Run("a disk that refuses a write is reported until one succeeds", healthAfterRefusal)
	t.Run("a commit that failed half done is reported for good", healthAfterHalfCommit)
	t.Run("the end of the writer is reported", healthAfterWriter)
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
