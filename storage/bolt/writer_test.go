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

// inBubble runs a test of a store with table "T" and queue "q".
func inBubble(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, t.TempDir())
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
	go func() { answer <- d.Do(ctx, transaction(ops...)) }()
	return answer
}

// written makes a transaction whose commit has this outcome.
func (d *slowDisk) written(t *testing.T, row string, outcome func(*bbolt.Tx) error) error {
	t.Helper()
	answer := d.write(t.Context(), driver.Insert(row))
	d.next(outcome)
	return <-answer
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
	ok(t, <-first)
}

// wantRows requires which of the rows a to d are there.
func (d *slowDisk) wantRows(t *testing.T, want string) {
	t.Helper()
	got := ""
	for _, row := range []string{"a", "b", "c", "d"} {
		if has(t, d.DB, row) {
			got += row
		}
	}
	if got != want {
		t.Errorf("the rows %q are there, want %q", got, want)
	}
}

func TestWriter(t *testing.T) {
	for sentence, test := range map[string]func(t *testing.T, disk *slowDisk){
		"acknowledges and shows nothing before its commit":                                           notBeforeCommit,
		"lets a refused transaction fail alone, and tells of each commit how many callers shared it": refusedAlone,
		"shows a transaction those before it in its commit":                                          seesEarlier,
		"spends no commit on writes that change nothing":                                             noChangeNoCommit,
		"lets a caller go when its context ends":                                                     callerLeaves,
		"does not write for a caller that has gone":                                                  callerGone,
		"lets the others go on after a change that panics":                                           othersGoOnAfterPanic,
		"fails every write of a commit that fails, and goes on":                                      failedCommit,
	} {
		t.Run(sentence, func(t *testing.T) { onSlowDisk(t, test) })
	}
	t.Run("gives one commit to the writes that wait, as far as their number and size allow", sharedCommit)
	t.Run("ends with a commit that panics", panickingCommit)
	t.Run("answers every caller when the store closes", closeAnswers)
}

func notBeforeCommit(t *testing.T, disk *slowDisk) {
	answer := disk.write(t.Context(), driver.Insert("a"))
	<-disk.started
	synctest.Wait()
	select {
	case err := <-answer:
		t.Errorf("answered %v before the commit", err)
	default:
	}
	disk.wantRows(t, "")
	disk.outcome <- commitWell
	ok(t, <-answer)
	disk.wantRows(t, "a")
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
				if err := <-answer; err != nil || !has(t, disk.DB, fmt.Sprint("r", i)) {
					t.Errorf("%s, write %d: got %v, or its row is not there", what, i, err)
				}
			}
			if disk.commits != 1+test.commits {
				t.Errorf("%s: %d commits, want %d", what, disk.commits, 1+test.commits)
			}
		})
	}
}

func refusedAlone(t *testing.T, disk *slowDisk) {
	var told []string
	disk.committed = func(c Commit) {
		told = append(told, fmt.Sprintf("%d after %s failed %t", c.Changes, c.Took, c.Err != nil))
	}
	var well, refused, alsoWell <-chan error
	disk.behindAnother(t, func() {
		well = disk.write(t.Context(), driver.Insert("a"))
		refused = disk.write(t.Context(), driver.Insert("b"), driver.Merge("missing", driver.Exists))
		alsoWell = disk.write(t.Context(), driver.Insert("c"))
	})
	<-disk.started
	time.Sleep(time.Second)
	disk.outcome <- commitWell
	var failed *driver.OperationError
	if err := <-refused; !errors.As(err, &failed) || failed.Index != 1 || !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("got %v, want operation 1 to find nothing", err)
	}
	ok(t, <-well, <-alsoWell)
	disk.wantRows(t, "ac")
	is(t, errDisk, disk.written(t, "d", failBefore))
	if want := []string{"1 after 0s failed false", "2 after 1s failed false", "1 after 0s failed true"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func seesEarlier(t *testing.T, disk *slowDisk) {
	var answers []<-chan error
	disk.behindAnother(t, func() {
		for range 8 {
			answers = append(answers, disk.write(t.Context(), driver.Insert("same")))
		}
	})
	disk.next(commitWell)
	inserted := 0
	for _, answer := range answers {
		if err := <-answer; err == nil {
			inserted++
		} else {
			is(t, domain.ErrExists, err)
		}
	}
	if inserted != 1 {
		t.Errorf("one row was inserted %d times", inserted)
	}
}

// Each would wait without end if it started a commit.
func noChangeNoCommit(t *testing.T, disk *slowDisk) {
	is(t, domain.ErrNotFound, disk.Do(t.Context(), transaction(driver.Delete("r", driver.Exists))))
	ok(t, driver.NewTable(disk, "T").Create(t.Context()), driver.NewQueue(disk, "q").Create(t.Context()))
	if messages := received(t, driver.NewQueue(disk, "q"), time.Second); len(messages) > 0 {
		t.Errorf("received %v", messages)
	}
}

func callerLeaves(t *testing.T, disk *slowDisk) {
	ctx, cancel := context.WithCancel(t.Context())
	underWay := disk.write(ctx, driver.Insert("a"))
	<-disk.started
	waiting := disk.write(ctx, driver.Insert("b"))
	synctest.Wait()
	cancel()
	is(t, context.Canceled, <-underWay, <-waiting)
	disk.outcome <- commitWell
	synctest.Wait()
	disk.wantRows(t, "a")
}

func callerGone(t *testing.T, disk *slowDisk) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &write{ctx: ctx, done: make(chan error, 1), change: change{check: func(*bbolt.Tx) (func() error, error) {
		t.Error("it was written")
		return nil, errNoChange
	}}}
	disk.writes <- w
	is(t, context.Canceled, <-w.done)
}

func othersGoOnAfterPanic(t *testing.T, disk *slowDisk) {
	is(t, domain.ErrUnavailable, disk.submit(t.Context(), change{check: func(tx *bbolt.Tx) (func() error, error) {
		return func() error { return tx.Bucket([]byte("no such bucket")).Put(nil, nil) }, nil // on a nil bucket
	}}))
	ok(t, disk.written(t, "a", commitWell))
}

func failedCommit(t *testing.T, disk *slowDisk) {
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
	disk.wantRows(t, "")
	ok(t, disk.written(t, "a", commitWell))
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
				is(t, domain.ErrUnavailable, <-disk.write(t.Context(), driver.Insert("b")))
				if n := strings.Count(log.String(), "debug.Stack"); n != 1 || disk.commits != 2 {
					t.Errorf("%d stacks in %.300q, %d commits", n, log.String(), disk.commits)
				}
			})
		})
	}
}

func closeAnswers(t *testing.T) {
	db := opened(t, t.TempDir())
	table := driver.NewTable(db, "T")
	busy := make(chan struct{}, 1024)
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() {
			for n := 0; ; n++ {
				err := table.Transact(t.Context(), "p", driver.Insert(fmt.Sprintf("%d-%d", i, n)))
				if err == nil {
					_, err = table.Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 10}})
				}
				if err != nil {
					is(t, domain.ErrUnavailable, err)
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
	ok(t, db.Close())
	callers.Wait()
}
