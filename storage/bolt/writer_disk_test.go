package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A slowDisk is a store whose commits wait until the test says how they end.
type slowDisk struct {
	*DB
	commits int
	// started receives a value when a commit starts. A value sent to outcome ends it.
	started chan struct{}
	outcome chan func(*bbolt.Tx) error
}

func commitWell(tx *bbolt.Tx) error { return tx.Commit() }

var errDisk = errors.New("the disk has failed")

func failBefore(tx *bbolt.Tx) error { return errors.Join(errDisk, tx.Rollback()) }

func failAfter(tx *bbolt.Tx) error { return errors.Join(errDisk, tx.Commit()) }

// onSlowDisk runs a test in a synctest bubble. There synctest.Wait returns when all
// goroutines wait for the disk or for the writer.
func onSlowDisk(t *testing.T, test func(t *testing.T, disk *slowDisk)) {
	t.Helper()
	inBubble(t, func(t *testing.T, db *DB) {
		disk := &slowDisk{DB: db, started: make(chan struct{}), outcome: make(chan func(*bbolt.Tx) error)}
		db.commit = func(tx *bbolt.Tx) error {
			disk.commits++
			disk.started <- struct{}{}
			return (<-disk.outcome)(tx)
		}
		test(t, disk)
	})
}

// inBubble runs a test of a durable store with table "T" and queue "q".
func inBubble(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db, err := Open(t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(driver.NewTable(db, "T").Create(t.Context()), driver.NewQueue(db, "q").Create(t.Context())); err != nil {
			t.Fatal(err)
		}
		test(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// next waits for the next commit to start and ends it.
func (d *slowDisk) next(outcome func(*bbolt.Tx) error) {
	<-d.started
	d.outcome <- outcome
}

// write starts a transaction and returns the channel that will get its answer.
func (d *slowDisk) write(ctx context.Context, ops ...driver.Operation) <-chan error {
	answer := make(chan error, 1)
	go func() {
		answer <- d.Do(ctx, &driver.Call{Method: driver.CallTransact, Target: "T", Partition: "p", Operations: ops})
	}()
	return answer
}

// behindAnother makes the writes that start starts share a commit: they wait while
// another commit is held up. That one then succeeds.
func (d *slowDisk) behindAnother(t *testing.T, start func()) {
	t.Helper()
	first := d.write(t.Context(), driver.Merge("first", driver.Upsert))
	<-d.started
	start()
	synctest.Wait()
	d.outcome <- commitWell
	if err := <-first; err != nil {
		t.Fatal(err)
	}
}

func (d *slowDisk) has(t *testing.T, row string) bool {
	t.Helper()
	_, err := driver.NewTable(d, "T").Get(t.Context(), "p", row)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCommit(t *testing.T) {
	t.Run("is synced unless the options say no", syncsByDefault)
	t.Run("that fails fails every write in it and the next one works", failedCommit)
	t.Run("that fails half done is the last", halfDoneCommit)
	t.Run("that panics is the last", panickingCommit)
}

func syncsByDefault(t *testing.T) {
	for _, noSync := range []bool{false, true} {
		db, err := Open(t.TempDir(), Options{NoSync: noSync})
		if err != nil {
			t.Fatal(err)
		}
		if db.bolt.NoSync != noSync || db.bolt.NoGrowSync != noSync {
			t.Errorf("asked for NoSync %v, got %v, and %v when the file grows", noSync, db.bolt.NoSync, db.bolt.NoGrowSync)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func failedCommit(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		var inserted, refused <-chan error
		disk.behindAnother(t, func() {
			inserted = disk.write(t.Context(), driver.Insert("a"))
			refused = disk.write(t.Context(), driver.Delete("missing", driver.Exists))
		})
		disk.next(failBefore)
		for _, err := range []error{<-inserted, <-refused} {
			if !errors.Is(err, domain.ErrUnavailable) || !errors.Is(err, errDisk) || errors.Is(err, domain.ErrNotFound) {
				t.Errorf("got %v, want ErrUnavailable with its cause", err)
			}
		}
		if disk.has(t, "a") {
			t.Error("the row is there")
		}
		again := disk.write(t.Context(), driver.Insert("a"))
		disk.next(commitWell)
		if err := <-again; err != nil {
			t.Error(err)
		}
	})
}

func halfDoneCommit(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		half := disk.write(t.Context(), driver.Insert("a"))
		disk.next(failAfter)
		if err := <-half; !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
		if err := <-disk.write(t.Context(), driver.Insert("b")); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("the next write: got %v, want ErrUnavailable", err)
		}
		if disk.commits != 1 || disk.has(t, "b") {
			t.Error("something was written")
		}
	})
}

// A panic in the writer would end the process, and this test.
func panickingCommit(t *testing.T) {
	for name, outcome := range map[string]func(*bbolt.Tx) error{
		"before it wrote": func(*bbolt.Tx) error { panic("a bug of a library") },
		"after it wrote":  func(tx *bbolt.Tx) error { _ = tx.Commit(); panic("a bug of a library") },
	} {
		t.Run(name, func(t *testing.T) {
			onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
				var log strings.Builder
				disk.log = slog.New(slog.NewTextHandler(&log, nil))
				var answers []<-chan error
				disk.behindAnother(t, func() {
					for i := range 8 {
						answers = append(answers, disk.write(t.Context(), driver.Insert(fmt.Sprint("r", i))))
					}
				})
				disk.next(outcome)
				for _, answer := range answers {
					if err := <-answer; !errors.Is(err, domain.ErrUnavailable) || len(err.Error()) > 200 {
						t.Errorf("got %v, want ErrUnavailable in a line", err)
					}
				}
				if err := <-disk.write(t.Context(), driver.Insert("b")); !errors.Is(err, domain.ErrUnavailable) {
					t.Errorf("the next write: got %v, want ErrUnavailable", err)
				}
				if n := strings.Count(log.String(), "debug.Stack"); n != 1 || disk.commits != 2 {
					t.Errorf("%d stacks in %.300q, %d commits", n, log.String(), disk.commits)
				}
			})
		})
	}
}
