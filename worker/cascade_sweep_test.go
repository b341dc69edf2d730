package worker

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestSweep(t *testing.T) {
	t.Run("runs four transactions concurrently, and twenty of a store that writes them together", sweptConcurrently)
}

// sweeps matches the transactions of a sweep.
func sweeps(call drivertest.Call) bool {
	return call.Method == "Transact" && call.Target == "Blogs" &&
		call.Operations[0].Action == driver.ActionMerge && call.Operations[1].Action == driver.ActionDelete
}

// Each transaction takes a second. So concurrent ones are one commit of a store that
// writes them together.
func sweptConcurrently(t *testing.T) {
	for name, test := range map[string]struct {
		backend func(*bolt.DB) driver.Backend
		most    int64
		took    time.Duration
	}{
		// Three pages, of 10, 10 and 2 transactions.
		"one by one": {func(db *bolt.DB) driver.Backend { return drivertest.Far(db) }, 4, (3 + 3 + 1) * time.Second},
		"together":   {func(db *bolt.DB) driver.Backend { return db }, 20, 2 * time.Second},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			w := newWorld(t, 700)
			var now, highest atomic.Int64
			faults := drivertest.NewFaults(test.backend(w.db), drivertest.Only(sweeps, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				if n := now.Add(1); n > highest.Load() {
					highest.Store(n)
				}
				time.Sleep(time.Second) // the others are under way by then
				defer now.Add(-1)
				return send(ctx)
			}))
			w.mustAsk()
			began := time.Now()
			w.finishOn(storage.New(faults, storage.Options{}))
			if took := time.Since(began).Truncate(time.Second); highest.Load() != test.most || took != test.took {
				t.Errorf("%d concurrent transactions, %s for all of them, want %d and %s", highest.Load(), took, test.most, test.took)
			}
			w.mustBeDeleted()
		}))
	}
}
