//go:build linux || darwin

package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestFullDisk(t *testing.T) {
	t.Run("refuses writes until there is space", fullDisk)
	t.Run("ends a compaction, which changes nothing", fullDiskCompact)
}

// fullDisk makes the system refuse a larger file. A process cannot come closer to a
// full disk without help.
func fullDisk(t *testing.T) {
	db := open(t, t.TempDir())
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	restore := limitFileSize(t, 20<<20)
	text := strings.Repeat("x", 1<<20)
	insert := func(i int) error {
		return db.Do(t.Context(), transaction(driver.Insert(fmt.Sprint(i), driver.String("Text", text))))
	}
	full := 0
	for insert(full) == nil {
		if full++; full > 100 {
			t.Fatal("100 MiB fit into 20")
		}
	}
	if err := insert(full); !errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), syscall.EFBIG.Error()) {
		t.Errorf("got %v, want ErrUnavailable with its cause", err)
	}
	for i := range full {
		if _, err := driver.NewTable(db, "T").Get(t.Context(), "p", fmt.Sprint(i)); err != nil {
			t.Errorf("acknowledged row %d: %v", i, err)
		}
	}
	if db.Health() == nil {
		t.Error("a full disk is healthy")
	}
	restore()
	// Nobody writes. The store sees for itself that there is space.
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); db.Health() != nil; <-ticker.C {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("half a minute after there is space: %v", db.Health())
		}
	}
	if err := insert(full); err != nil {
		t.Errorf("with space again: %v", err)
	}
}

func fullDiskCompact(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := driver.String("Text", strings.Repeat("x", 30<<20)) // the log of the other tests has less
	if err := db.Do(t.Context(), transaction(driver.Insert("r", text))); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	began := false
	restore := limitFileSize(t, 20<<20)
	_, _, err := bolt.Compact(t.Context(), dir, func() { began = true })
	restore()
	if !began || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, want its cause", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v (%v)", entries, err)
	}
	if _, err := driver.NewTable(open(t, dir), "T").Get(t.Context(), "p", "r"); err != nil {
		t.Error(err)
	}
}

// transaction may be larger than Table lets pass.
func transaction(ops ...driver.Operation) *driver.Call {
	return &driver.Call{Method: driver.CallTransact, Target: "T", Partition: "p", Operations: ops}
}

// limitFileSize limits every file of this process until restore is called.
func limitFileSize(t *testing.T, bytes uint64) (restore func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	restore = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(restore)
	return restore
}
