package drivertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// guard is the row that every write of these tests depends on, as a post depends
	// on its gate.
	guard        = "gate"
	guardWriters = 32
)

func guardTests() map[string]func(table) {
	return map[string]func(table){
		"that is there passes all 32 writers":                     guardPresent,
		"that is missing stops all 32 writers and is not created": guardAbsent,
		"that was deleted lets no write be acknowledged":          guardDeleted,
		"that 32 writers swap is swapped once":                    guardSwapped,
	}
}

// guarded inserts a row on condition that the guard is there.
func (f table) guarded(writer, i int) error {
	return f.Transact(f.Context(), "p", driver.Merge(guard, driver.Exists), driver.Insert(fmt.Sprintf("row-%d-%d", writer, i)))
}

// together runs n writers concurrently.
func together(n int, write func(writer int)) {
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() { write(i) })
	}
	writers.Wait()
}

func guardPresent(f table) {
	const each = 3
	f.do("p", driver.Insert(guard, a(1)))
	before := f.version(guard)
	together(guardWriters, func(writer int) {
		for i := range each {
			if err := f.guarded(writer, i); err != nil {
				f.Errorf("writer %d: %v", writer, err)
			}
		}
	})
	rows := f.rows()
	if want := 1 + guardWriters*each; len(rows) != want || line(rows[0]) != "p/gate A=1" {
		f.Errorf("%d rows, want %d, and the first %s", len(rows), want, line(rows[0]))
	}
	if f.version(guard) == before {
		f.Error("the guard's ETag did not change")
	}
}

func guardAbsent(f table) {
	together(guardWriters, func(writer int) {
		if err := f.guarded(writer, 0); !errors.Is(err, domain.ErrNotFound) {
			f.Errorf("writer %d: got %v, want no guard", writer, err)
		}
	})
	f.holds()
}

// guardDeleted deletes the guard while 32 writers insert, until each of them has
// failed. All acknowledged rows and no others are there in the end, and no write
// that started after the deletion was acknowledged is among them.
func guardDeleted(f table) {
	const before = 64
	f.do("p", driver.Insert(guard))
	var acknowledged, gone atomic.Int64
	enough := make(chan struct{})
	stop := sync.OnceFunc(func() { close(enough) })
	var deletion sync.WaitGroup
	deletion.Go(func() {
		<-enough
		if err := f.Transact(f.Context(), "p", driver.Delete(guard, driver.Exists)); err != nil {
			f.Errorf("deleting the guard: %v", err)
		}
		gone.Store(1)
	})
	together(guardWriters, func(writer int) {
		for i := 0; ; i++ {
			late := gone.Load() == 1
			switch err := f.guarded(writer, i); {
			case err != nil && !errors.Is(err, domain.ErrNotFound):
				f.Errorf("writer %d: %v", writer, err)
				return
			case err != nil:
				return
			case late:
				f.Errorf("writer %d was acknowledged after the guard was deleted", writer)
				return
			case acknowledged.Add(1) >= before:
				stop()
			}
		}
	})
	stop()
	deletion.Wait()
	// Without the guard, which was the first.
	if rows := f.rows(); int64(len(rows)) != acknowledged.Load() || rows[0].Row == guard {
		f.Errorf("%d rows, but %d were acknowledged", len(rows), acknowledged.Load())
	}
}

func guardSwapped(f table) {
	f.do("p", driver.Insert(guard))
	var swapped atomic.Int64
	together(guardWriters, func(int) {
		err := f.Transact(f.Context(), "p", driver.Delete(guard, driver.Exists), driver.Insert("shut"))
		switch {
		case err == nil:
			swapped.Add(1)
		case !errors.Is(err, domain.ErrNotFound):
			f.Errorf("swapping the guard: %v", err)
		}
	})
	if n := swapped.Load(); n != 1 {
		f.Errorf("the guard was swapped %d times", n)
	}
	f.holds("p/shut")
}
