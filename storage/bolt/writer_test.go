package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestWriter(t *testing.T) {
	t.Run("acknowledges and shows nothing before its commit", notBeforeCommit)
	t.Run("gives one commit to the writes that wait, as far as their number and size allow", sharedCommit)
	t.Run("lets a refused transaction fail alone", refusedAlone)
	t.Run("lets the others go on after a change that panics", othersGoOnAfterPanic)
	t.Run("shows a transaction those before it in its commit", seesEarlier)
	t.Run("spends no commit on writes that change nothing", noChangeNoCommit)
	t.Run("lets a caller go when its context ends", callerLeaves)
	t.Run("does not write for a caller that has gone", callerGone)
	t.Run("answers every caller when the store closes", closeAnswers)
	t.Run("tells of each commit how many callers shared it", commitsTold)
}

func notBeforeCommit(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		answer := disk.write(t.Context(), driver.Insert("r"))
		<-disk.started
		synctest.Wait()
		select {
		case err := <-answer:
			t.Errorf("answered %v before the commit", err)
		default:
		}
		if disk.has(t, "r") {
			t.Error("read before the commit")
		}
		disk.outcome <- commitWell
		if err := <-answer; err != nil || !disk.has(t, "r") {
			t.Errorf("got %v, or the row is not there", err)
		}
	})
}

func sharedCommit(t *testing.T) {
	half := driver.String("Large", strings.Repeat("x", maxBatchBytes/2))
	for what, test := range map[string]struct {
		writes  []driver.Property // what each has
		commits int
	}{
		"32 small ones":            {make([]driver.Property, 32), 1},
		"one more than may share":  {make([]driver.Property, maxBatch+1), 2},
		"three of half the memory": {[]driver.Property{half, half, half}, 2},
	} {
		onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
			var answers []<-chan error
			disk.behindAnother(t, func() {
				for i, p := range test.writes {
					p.Name, p.Value = "Large", cmp.Or(p.Value, driver.Int64("", 1).Value)
					answers = append(answers, disk.write(t.Context(), driver.Insert(fmt.Sprint("r", i), p)))
				}
			})
			for range test.commits {
				disk.next(commitWell)
			}
			for i, answer := range answers {
				if err := <-answer; err != nil || !disk.has(t, fmt.Sprint("r", i)) {
					t.Errorf("%s, write %d: got %v, or its row is not there", what, i, err)
				}
			}
			if disk.commits != 1+test.commits {
				t.Errorf("%s: %d commits, want %d", what, disk.commits, 1+test.commits)
			}
		})
	}
}

func refusedAlone(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		var well, refused, alsoWell <-chan error
		disk.behindAnother(t, func() {
			well = disk.write(t.Context(), driver.Insert("a"))
			refused = disk.write(t.Context(), driver.Insert("b"), driver.Merge("missing", driver.Exists))
			alsoWell = disk.write(t.Context(), driver.Insert("c"))
		})
		disk.next(commitWell)
		var failed *driver.OperationError
		if err := <-refused; !errors.As(err, &failed) || failed.Index != 1 || !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("got %v, want operation 1 to find nothing", err)
		}
		if err := errors.Join(<-well, <-alsoWell); err != nil {
			t.Error(err)
		}
		if !disk.has(t, "a") || disk.has(t, "b") || !disk.has(t, "c") {
			t.Error("want the rows a and c, and not b")
		}
	})
}

func othersGoOnAfterPanic(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		db.log = slog.New(slog.DiscardHandler)
		err := db.submit(t.Context(), change{check: func(tx *bbolt.Tx) (func() error, error) {
			return func() error { return tx.Bucket([]byte("no such bucket")).Put(nil, nil) }, nil // on a nil bucket
		}})
		if !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
		if err := driver.NewTable(db, "T").Transact(t.Context(), "p", driver.Insert("a")); err != nil {
			t.Errorf("the next write: %v", err)
		}
	})
}

func seesEarlier(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		var answers []<-chan error
		disk.behindAnother(t, func() {
			for range 8 {
				answers = append(answers, disk.write(t.Context(), driver.Insert("same")))
			}
		})
		disk.next(commitWell)
		inserted := 0
		for _, answer := range answers {
			switch err := <-answer; {
			case err == nil:
				inserted++
			case !errors.Is(err, domain.ErrExists):
				t.Error(err)
			}
		}
		if inserted != 1 {
			t.Errorf("one row was inserted %d times", inserted)
		}
	})
}

func noChangeNoCommit(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		// Each would wait for ever if it started a commit.
		err := driver.NewTable(disk, "T").Transact(t.Context(), "p", driver.Delete("r", driver.Exists))
		if !errors.Is(err, domain.ErrNotFound) {
			t.Error(err)
		}
		if err := errors.Join(driver.NewTable(disk, "T").Create(t.Context()), driver.NewQueue(disk, "q").Create(t.Context())); err != nil {
			t.Error(err)
		}
		if messages, err := driver.NewQueue(disk, "q").Receive(t.Context(), 32, time.Second); len(messages) > 0 || err != nil {
			t.Errorf("received %v, %v", messages, err)
		}
	})
}

func callerLeaves(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		ctx, cancel := context.WithCancel(t.Context())
		underWay := disk.write(ctx, driver.Insert("a"))
		<-disk.started
		waiting := disk.write(ctx, driver.Insert("b"))
		synctest.Wait()
		cancel()
		for _, err := range []error{<-underWay, <-waiting} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		}
		disk.outcome <- commitWell
		synctest.Wait()
		if !disk.has(t, "a") || disk.has(t, "b") {
			t.Error("want the row that was under way, and not the one that waited")
		}
	})
}

func callerGone(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := &write{ctx: ctx, change: change{check: func(*bbolt.Tx) (func() error, error) {
			t.Error("it was written")
			return nil, errNoChange
		}}, done: make(chan error, 1)}
		disk.writes <- w
		if err := <-w.done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func closeAnswers(t *testing.T) {
	db, err := Open(t.TempDir(), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.NewTable(db, "T").Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy := make(chan struct{}, 1024)
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() {
			for n := 0; ; n++ {
				err := driver.NewTable(db, "T").Transact(t.Context(), "p", driver.Insert(fmt.Sprintf("%d-%d", i, n)))
				if err == nil {
					_, err = driver.NewTable(db, "T").Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 10}})
				}
				if err != nil {
					if !errors.Is(err, domain.ErrUnavailable) {
						t.Errorf("got %v, want ErrUnavailable", err)
					}
					return
				}
				select {
				case busy <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 100 {
		<-busy
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	callers.Wait()
}

func commitsTold(t *testing.T) {
	onSlowDisk(t, func(t *testing.T, disk *slowDisk) {
		var told []string
		disk.committed = func(c Commit) {
			told = append(told, fmt.Sprintf("%d after %s failed %t", c.Changes, c.Took, c.Err != nil))
		}
		var well, alsoWell, refused <-chan error
		disk.behindAnother(t, func() {
			well = disk.write(t.Context(), driver.Insert("a"))
			refused = disk.write(t.Context(), driver.Merge("missing", driver.Exists))
			alsoWell = disk.write(t.Context(), driver.Insert("c"))
		})
		<-disk.started
		time.Sleep(time.Second)
		disk.outcome <- commitWell
		if err := errors.Join(<-well, <-alsoWell); err != nil || <-refused == nil {
			t.Fatal(err)
		}
		failed := disk.write(t.Context(), driver.Insert("d"))
		disk.next(failBefore)
		if <-failed == nil {
			t.Error("a commit that failed is answered well")
		}
		if want := []string{"1 after 0s failed false", "2 after 1s failed false", "1 after 0s failed true"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}
