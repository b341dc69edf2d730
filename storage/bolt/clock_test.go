package bolt

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestClock(t *testing.T) {
	t.Run("tells the latest time at which the store was written to, also to one whose clock is behind", clockTellsLatest)
	t.Run("is noted once a minute, by commits that are made anyway", clockIsNotedSeldom)
	t.Run("is not noted by a commit that fails", clockOfFailedCommit)
	t.Run("of the queues is noted also while this clock is behind the latest time", queueClockIsNoted)
}

// behind is how far the clock of this process is behind the store's.
func behind(t *testing.T, db *DB) time.Duration {
	t.Helper()
	store, here, known := db.Capabilities().Clock()
	if !known || time.Until(here) != 0 {
		t.Errorf("known is %t, and the time here %s", known, here)
	}
	return store.Sub(here)
}

func isBehind(t *testing.T, db *DB, want time.Duration) {
	t.Helper()
	if got := behind(t, db); got != want {
		t.Errorf("the clock is %s behind, want %s", got, want)
	}
}

// A bubble begins at the same time as the one before.
func clockTellsLatest(t *testing.T) {
	dir := t.TempDir()
	const ahead = 48 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, dir)
		isBehind(t, db, 0)
		time.Sleep(ahead)
		put(t, db, driver.Insert("ahead"))
		isBehind(t, db, 0)
		ok(t, db.Close())
	})
	_, _, err := Compact(t.Context(), dir, Options{}, func(bool) {})
	ok(t, err)
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			db := opened(t, dir)
			isBehind(t, db, ahead)
			time.Sleep(time.Hour)
			put(t, db, driver.Merge("ahead", driver.Exists))
			isBehind(t, db, ahead-time.Hour)
			ok(t, db.Close())
		})
	}
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, dir)
		time.Sleep(ahead + time.Hour)
		isBehind(t, db, 0)
		ok(t, db.Close())
	})
}

func clockIsNotedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, t.TempDir())
		begun := db.latest.Load()
		noted := func() time.Duration { return time.Duration(db.latest.Load() - begun) }
		time.Sleep(noteEvery - 1)
		put(t, db, driver.Insert("a"))
		if noted() != 0 {
			t.Errorf("noted after %s", noted())
		}
		time.Sleep(time.Nanosecond)
		put(t, db, driver.Insert("b"))
		if noted() != noteEvery {
			t.Errorf("%s was noted, want %s", noted(), noteEvery)
		}
		commits := db.last.Load()
		time.Sleep(time.Hour)
		if noted() != noteEvery || db.last.Load() != commits {
			t.Errorf("without a write, %s was noted, and the commit is %d, was %d", noted(), db.last.Load(), commits)
		}
		ok(t, db.Close())
	})
}

func clockOfFailedCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, t.TempDir())
		begun := db.latest.Load()
		time.Sleep(time.Hour)
		db.commit = func(tx *bbolt.Tx) error { return errors.Join(errDisk, tx.Rollback()) }
		is(t, errDisk, db.Do(t.Context(), transaction(driver.Insert("a"))))
		if noted := db.latest.Load(); noted != begun {
			t.Errorf("%s was noted", time.Duration(noted-begun))
		}
		ok(t, db.Close())
	})
}

// The clock of the machine was ahead once. Then a message is delayed, and the process is killed.
func queueClockIsNoted(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, dir)
		time.Sleep(100 * 24 * time.Hour)
		put(t, db, driver.Insert("row"))
		ok(t, db.Close())
	})
	synctest.Test(t, func(t *testing.T) {
		const delay, step, steps = 5 * time.Minute, 33 * time.Second, 4
		db := opened(t, dir)
		ok(t, driver.NewQueue(db, "q").SendDelayed(t.Context(), "m", delay))
		for range steps {
			time.Sleep(step)
			put(t, db, driver.Merge("row", driver.Exists))
		}
		path := db.bolt.Path()
		killed, err := os.ReadFile(path)
		ok(t, err, db.Close(), os.WriteFile(path, killed, 0o600))
		db = opened(t, dir)
		time.Sleep(delay - steps*step + noteEvery)
		if due := received(t, driver.NewQueue(db, "q"), time.Second); len(due) != 1 {
			t.Errorf("%s later, %d messages are visible", delay+noteEvery, len(due))
		}
		ok(t, db.Close())
	})
}
