package bolt

import (
	"errors"
	"io"
	"log/slog"
	"os"
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
	for sentence, test := range map[string]func(t *testing.T, disk *slowDisk){
		"a disk that refuses a write is not writable until one succeeds, and healthy":  healthAfterRefusal,
		"a commit that failed half done is the last, and reported for good":            healthAfterHalfCommit,
		"a disk that writes again is noticed without a write of anybody":               healthAfterProbe,
		"a commit that hangs is reported while it does":                                healthWhileCommitHangs,
		"a file without its name takes no write, and is reported until it has it":      healthWithoutName,
		"a file without its name is noticed without a write of anybody":                healthWithoutNameWhenIdle,
		"a file that another one has replaced can be saved, and not closed in silence": healthAfterReplacement,
	} {
		t.Run(sentence, func(t *testing.T) { onSlowDisk(t, test) })
	}
	t.Run("the end of the writer is reported", healthAfterWriter)
	t.Run("a read that hangs is reported", healthWhileReadHangs)
}

// wantFailed requires that the failure of the disk is reported.
func wantFailed(t *testing.T, disk *slowDisk) {
	t.Helper()
	synctest.Wait()
	is(t, errDisk, disk.Writable())
	is(t, domain.ErrUnavailable, disk.Writable())
}

func healthAfterRefusal(t *testing.T, disk *slowDisk) {
	ok(t, disk.Health())
	is(t, errDisk, disk.written(t, "a", failBefore))
	// A write that changes nothing tells nothing about the disk.
	is(t, domain.ErrNotFound, disk.Do(t.Context(), transaction(driver.Delete("none", driver.Exists))))
	wantFailed(t, disk)
	ok(t, disk.Health()) // no other process could write either
	ok(t, disk.written(t, "a", commitWell), disk.Writable())
}

func healthAfterProbe(t *testing.T, disk *slowDisk) {
	time.Sleep(time.Minute)
	if synctest.Wait(); disk.commits != 0 {
		t.Errorf("a healthy disk was probed %d times", disk.commits)
	}
	is(t, errDisk, disk.written(t, "a", failBefore))
	began := time.Now()
	for range 3 {
		disk.next(failBefore)
		wantFailed(t, disk)
	}
	disk.next(commitWell)
	synctest.Wait()
	ok(t, disk.Writable())
	if took := time.Since(began); took != 4*probeInterval {
		t.Errorf("four probes took %s", took)
	}
	probes := disk.commits
	time.Sleep(time.Minute)
	if disk.commits != probes {
		t.Errorf("a disk that is well again was probed %d times", disk.commits-probes)
	}
}

func healthAfterHalfCommit(t *testing.T, disk *slowDisk) {
	is(t, domain.ErrUnavailable, disk.written(t, "a", failAfter), <-disk.write(t.Context(), driver.Insert("b")))
	time.Sleep(time.Minute)
	wantFailed(t, disk)
	is(t, errDisk, disk.Health())
	_, err := driver.NewQueue(disk, "q").Length(t.Context())
	is(t, errBroken, err)
	if disk.commits != 1 || has(t, disk.DB, "b") {
		t.Error("something was written")
	}
}

func healthWhileCommitHangs(t *testing.T, disk *slowDisk) {
	slow := disk.write(t.Context(), driver.Insert("a"))
	<-disk.started
	time.Sleep(10*time.Second - 1)
	ok(t, disk.Health())
	time.Sleep(time.Nanosecond)
	if err := disk.Health(); !errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), "10s") {
		t.Errorf("health: got %v, want for how long the commit has been under way", err)
	}
	is(t, domain.ErrUnavailable, disk.Writable())
	disk.outcome <- commitWell
	ok(t, <-slow)
	synctest.Wait()
	ok(t, disk.Health(), disk.Writable())
}

// away takes the name of the file and returns what gives it back.
func away(t *testing.T, db *DB) (back func()) {
	t.Helper()
	path := db.bolt.Path()
	ok(t, os.Rename(path, path+".away"))
	return func() { ok(t, os.Rename(path+".away", path)) }
}

func healthWithoutName(t *testing.T, disk *slowDisk) {
	var log strings.Builder
	disk.log = slog.New(slog.NewTextHandler(&log, nil))
	back := away(t, disk.DB)
	for range 3 {
		is(t, domain.ErrUnavailable, disk.Do(t.Context(), transaction(driver.Insert("a"))))
		is(t, errNameless, disk.Health())
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), disk.bolt.Path()) {
		t.Errorf("%d errors in the log, want one with the file: %s", n, log.String())
	}
	back()
	ok(t, disk.written(t, "a", commitWell), disk.Health(), disk.Writable())
}

func healthWithoutNameWhenIdle(t *testing.T, disk *slowDisk) {
	ok(t, disk.written(t, "a", commitWell)) // so that the writer has met this disk
	back := away(t, disk.DB)
	time.Sleep(nameInterval)
	synctest.Wait()
	is(t, errNameless, disk.Health())
	back()
	disk.next(commitWell) // a probe
	synctest.Wait()
	ok(t, disk.Health())
}

func healthAfterReplacement(t *testing.T, disk *slowDisk) {
	back := away(t, disk.DB)
	ok(t, os.WriteFile(disk.bolt.Path(), nil, 0o600))
	is(t, errNameless, disk.Do(t.Context(), transaction(driver.Insert("a"))))
	ok(t, disk.Backup(t.Context(), io.Discard))
	is(t, errNameless, disk.Close())
	back()
	disk.close = func() error { return nil } // it is closed, and the next call would say that again
}

// A store that closes waits for those who read, and those who begin to read wait for it.
func healthWhileReadHangs(t *testing.T) {
	t.Parallel() // it waits for readPatience
	db := opened(t, t.TempDir())
	reading, err := db.bolt.Begin(false)
	ok(t, err)
	closed := make(chan error, 1)
	go func() { closed <- db.bolt.Close() }()
	for err = db.Health(); err == nil; err = db.Health() { // it has not begun to close
	}
	if is(t, domain.ErrUnavailable, err); !strings.Contains(err.Error(), readPatience.String()) {
		t.Errorf("got %v, want for how long a read has been under way", err)
	}
	ok(t, reading.Rollback(), <-closed)
}

func healthAfterWriter(t *testing.T) {
	db := opened(t, t.TempDir())
	ok(t, db.Health())
	db.commit = func(tx *bbolt.Tx) error {
		ok(t, tx.Rollback())
		runtime.Goexit()
		return nil
	}
	go func() { _ = db.Do(t.Context(), transaction(driver.Insert("a"))) }() // it gets no response
	<-db.stopped
	is(t, domain.ErrUnavailable, db.Health())
	ok(t, db.Close())
}
