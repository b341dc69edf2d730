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
	// condition is the row that every write of these tests depends on, as a post depends
	// on its gate.
	condition        = "gate"
	conditionWriters = 32
)

func conditionTests() map[string]func(table) {
	return map[string]func(table){
		"passes all 32 writers until it is deleted, and is not created again": conditionDeleted,
		"that 32 writers swap is swapped once":                                conditionSwapped,
	}
}

// Together runs n writers concurrently.
func Together(n int, write func(writer int)) {
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() { write(i) })
	}
	writers.Wait()
}

// conditionDeleted deletes the condition while 32 writers insert, until each of them has
// failed. All acknowledged rows and no others are there in the end, and no write
// that started after the deletion was acknowledged is among them.
func conditionDeleted(f table) {
	const before = 64
	f.do("p", driver.Insert(condition))
	var acknowledged, gone atomic.Int64
	enough := make(chan struct{})
	stop := sync.OnceFunc(func() { close(enough) })
	var deletion sync.WaitGroup
	deletion.Go(func() {
		<-enough
		if err := f.Transact(f.Context(), "p", driver.Delete(condition, driver.Exists)); err != nil {
			f.Errorf("deleting the condition: %v", err)
		}
		gone.Store(1)
	})
	Together(conditionWriters, func(writer int) {
		for i := 0; ; i++ {
			late := gone.Load() == 1
			row := driver.Insert(fmt.Sprintf("row-%d-%d", writer, i))
			switch err := f.Transact(f.Context(), "p", driver.Merge(condition, driver.Exists), row); {
			case err != nil && !errors.Is(err, domain.ErrNotFound):
				f.Errorf("writer %d: %v", writer, err)
				return
			case err != nil:
				return
			case late:
				f.Errorf("writer %d was acknowledged after the condition was deleted", writer)
				return
			case acknowledged.Add(1) >= before:
				stop()
			}
		}
	})
	stop()
	deletion.Wait()
	// Without the condition, which was the first.
	if rows := f.rows(); int64(len(rows)) != acknowledged.Load() || rows[0].Row == condition {
		f.Errorf("%d rows, but %d were acknowledged", len(rows), acknowledged.Load())
	}
}

func conditionSwapped(f table) {
	f.do("p", driver.Insert(condition))
	var swapped atomic.Int64
	Together(conditionWriters, func(int) {
		err := f.Transact(f.Context(), "p", driver.Delete(condition, driver.Exists), driver.Insert("shut"))
		switch {
		case err == nil:
			swapped.Add(1)
		case !errors.Is(err, domain.ErrNotFound):
			f.Errorf("swapping the condition: %v", err)
		}
	})
	if n := swapped.Load(); n != 1 {
		f.Errorf("the condition was swapped %d times", n)
	}
	f.holds("p/shut")
}
