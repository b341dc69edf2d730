//go:build linux || darwin

package bolt

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestFullDisk(t *testing.T) {
	t.Run("refuses writes until there is space, and reads as before", limited(fullDisk))
	t.Run("keeps no store from being created once there is space", limited(fullDiskAtCreation))
	t.Run("keeps the note of the last backup", limited(fullDiskAtNote))
}

// limited runs a test in a process of its own, since the limit holds for each of its files: also for
// the log of what the tests read, which the go tool lets this process write and which has megabytes.
func limited(test func(*testing.T)) func(*testing.T) {
	const variable = "MICROBLOGGING_TEST_LIMITED"
	return func(t *testing.T) {
		if os.Getenv(variable) != "" {
			test(t)
			return
		}
		other := exec.Command(os.Args[0], "-test.v", "-test.run="+t.Name())
		other.Env = append(os.Environ(), variable+"=1")
		if said, err := other.CombinedOutput(); err != nil || !strings.Contains(string(said), "--- PASS: "+t.Name()) {
			t.Errorf("%v after it said %s", other.ProcessState, said)
		}
	}
}

// fullDisk makes the system refuse a larger file. A process cannot come closer to a
// full disk without help.
func fullDisk(t *testing.T) {
	db := opened(t, t.TempDir())
	giveBack := limitFileSize(t, 20<<20)
	text := driver.String("Text", strings.Repeat("x", 1<<20))
	insert := func(i int) error { return db.Do(t.Context(), transaction(driver.Insert(fmt.Sprint(i), text))) }
	full := 0
	for insert(full) == nil {
		if full++; full > 100 {
			t.Fatal("100 MiB fit into 20")
		}
	}
	if err := insert(full); !FullDisk(err) || FullDisk(domain.ErrUnavailable) || FullDisk(nil) {
		t.Errorf("got %v, want its cause", err)
	}
	is(t, domain.ErrUnavailable, db.Writable())
	ok(t, db.Health())
	for i := range full {
		if !has(t, db, fmt.Sprint(i)) {
			t.Errorf("row %d was acknowledged and is lost", i)
		}
	}
	giveBack()
	// There are no writes. The store sees for itself that there is space.
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); db.Writable() != nil; <-ticker.C {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("half a minute after there is space: %v", db.Writable())
		}
	}
	ok(t, insert(full))
}

func fullDiskAtCreation(t *testing.T) {
	dir := t.TempDir()
	giveBack := limitFileSize(t, 1)
	db, err := Open(dir, Options{})
	if err == nil {
		t.Error("a store was created in one byte")
		ok(t, db.Close())
	} else if !FullDisk(err) {
		t.Errorf("got %v, want its cause", err)
	}
	wantFiles(t, dir)
	giveBack()
	ok(t, mustOpen(t, dir, Options{}).Close())
}

func fullDiskAtNote(t *testing.T) {
	dir, on := t.TempDir(), time.Date(2026, 11, 3, 3, 30, 5, 0, time.UTC)
	ok(t, NoteBackup(dir, on))
	giveBack := limitFileSize(t, 1)
	if err := NoteBackup(dir, on.AddDate(0, 0, 1)); !FullDisk(err) {
		t.Errorf("got %v, want its cause", err)
	}
	wantFiles(t, dir, backupName)
	giveBack()
	wantBackup(t, dir, on)
}

// limitFileSize limits every file of this process until giveBack is called.
func limitFileSize(t *testing.T, bytes uint64) (giveBack func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	ok(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	ok(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	giveBack = func() { ok(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }
	t.Cleanup(giveBack)
	return giveBack
}
