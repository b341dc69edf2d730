package drivertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// guard is the row that every write of these tests depends on, as a post depends
// on its gate.
const guard = "gate"

const guardWriters = 32

func guardTests() tableTests {
	return tableTests{
		"that is there passes all 32 writers":                     guardPresent,
		"that is missing stops all 32 writers and is not created": guardAbsent,
		"that was deleted lets no write be acknowledged":          guardDeleted,
		"that 32 writers swap is swapped once":                    guardSwapped,
	}
}

// guarded inserts a row on condition that the guard is there.
func guarded(row string) []driver.Operation {
	return []driver.Operation{driver.Merge(guard, driver.Exists), driver.Insert(row)}
}

// together runs n writers at once.
func together(n int, write func(writer int)) {
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() { write(i) })
	}
	writers.Wait()
}

func guardPresent(t *testing.T, table fixture) {
	const each = 3
	table.transact(t, "p", driver.Insert(guard, driver.Int64("N", 1)))
	before := table.get(t, "p", guard)
	together(guardWriters, func(writer int) {
		for i := range each {
			if err := table.Transact(t.Context(), "p", guarded(fmt.Sprintf("row-%d-%d", writer, i))...); err != nil {
				t.Errorf("writer %d: %v", writer, err)
			}
		}
	})
	rows := table.rows(t, pagesOf("p", driver.MaxPage))
	if want := 1 + guardWriters*each; len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	after := table.get(t, "p", guard)
	wantProperties(t, after, before.Properties...)
	if after.ETag == before.ETag {
		t.Error("the guard's ETag did not change")
	}
}

func guardAbsent(t *testing.T, table fixture) {
	together(guardWriters, func(writer int) {
		err := table.Transact(t.Context(), "p", guarded(fmt.Sprintf("row-%d", writer))...)
		var failed *driver.OperationError
		if !errors.As(err, &failed) || failed.Index != 0 || !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("writer %d: got %v, want operation 0 not to find the guard", writer, err)
		}
	})
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

// guardDeleted deletes the guard while 32 writers insert, until each of them has
// failed. All acknowledged rows and no others are there in the end, and no write
// that started after the deletion was acknowledged is among them.
func guardDeleted(t *testing.T, table fixture) {
	const before = 64
	table.transact(t, "p", driver.Insert(guard))
	var acknowledged, gone atomic.Int64
	enough := make(chan struct{})
	stop := sync.OnceFunc(func() { close(enough) })
	var deletion sync.WaitGroup
	deletion.Go(func() {
		<-enough
		if err := table.Transact(t.Context(), "p", driver.Delete(guard, driver.Exists)); err != nil {
			t.Errorf("deleting the guard: %v", err)
		}
		gone.Store(1)
	})
	together(guardWriters, func(writer int) {
		for i := 0; ; i++ {
			late := gone.Load() == 1
			err := table.Transact(t.Context(), "p", guarded(fmt.Sprintf("row-%d-%d", writer, i))...)
			if err != nil {
				if !errors.Is(err, domain.ErrNotFound) {
					t.Errorf("writer %d: %v", writer, err)
				}
				return
			}
			if late {
				t.Errorf("writer %d was acknowledged after the guard was deleted", writer)
				return
			}
			if acknowledged.Add(1) >= before {
				stop()
			}
		}
	})
	stop()
	deletion.Wait()
	if rows := table.rows(t, pagesOf("p", driver.MaxPage)); int64(len(rows)) != acknowledged.Load() {
		t.Errorf("%d rows, but %d were acknowledged", len(rows), acknowledged.Load())
	}
	table.absent(t, "p", guard)
}

func guardSwapped(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert(guard))
	var swapped atomic.Int64
	together(guardWriters, func(int) {
		err := table.Transact(t.Context(), "p", driver.Delete(guard, driver.Exists), driver.Insert("shut"))
		switch {
		case err == nil:
			swapped.Add(1)
		case !errors.Is(err, domain.ErrNotFound):
			t.Errorf("swapping the guard: %v", err)
		}
	})
	if n := swapped.Load(); n != 1 {
		t.Errorf("the guard was swapped %d times", n)
	}
	wantKeys(t, table.rows(t, pagesOf("p", 10)), "shut")
}
