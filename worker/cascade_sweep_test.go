package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestSweep(t *testing.T) {
	t.Run("in many pages by three workers leaves nothing", bubble(sweptByThreeWorkers))
	t.Run("has four transactions under way at once, and twenty of a store that writes them together", sweptAtOnce)
	t.Run("counts what is removed beside transactions that fail", sweptBesideFailures)
	t.Run("leaves no row beside a worker that deletes the votes on a post", bubble(sweptWhileVotesGo))
}

// sweeps matches the transactions of a sweep.
func sweeps(call drivertest.Call) bool {
	return call.Method == "Transact" && call.Target == "Blogs" &&
		call.Operations[0].Action == driver.ActionMerge && call.Operations[1].Action == driver.ActionDelete
}

func sweptByThreeWorkers(t *testing.T) {
	w := newWorld(t, 700)
	w.mustAsk()
	for range 2 { // the queue delivers the intent three times in all
		w.ok(w.sound.Messages().Send(t.Context(), w.intent().Encode()))
	}
	defer w.start(w.sound)()
	defer w.start(w.sound)()
	w.finish()
	w.mustBeDeleted()
	w.mustCount(3*700 + 1)
}

// Each transaction takes a second. So those under way at once are one commit of a store that
// writes them together.
func sweptAtOnce(t *testing.T) {
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
				t.Errorf("%d transactions at once, %s for all of them, want %d and %s", highest.Load(), took, test.most, test.took)
			}
			w.mustBeDeleted()
		}))
	}
}

// One transaction in two fails, soon, while the others are under way.
func sweptBesideFailures(t *testing.T) {
	for _, failure := range []error{errRefused, drivertest.ErrInjected} {
		t.Run(failure.Error(), bubble(func(t *testing.T) {
			w := newWorld(t, 700)
			w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Seq%2 == 0 {
					time.Sleep(time.Millisecond) // the others are under way by then
					return failure
				}
				select {
				case <-time.After(100 * time.Millisecond):
					return send(ctx)
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			w.mustAsk()
			w.finishOn(w.faulty)
			if d := w.deletion(); d.RowsDeleted != 3*700+1 {
				t.Errorf("the deletion reads %+v, want all rows counted", d)
			}
			w.mustBeDeleted()
		}))
	}
}

// A worker that deletes the votes on a deleted post needs no gate. It removes a row that
// the sweep has just read. The transaction of the sweep fails as a whole, and the other
// rows of that transaction are still there.
func sweptWhileVotesGo(t *testing.T) {
	w := newWorld(t, 3)
	blog := w.post(w.victim, "deleted by its author")
	if err := errors.Join(
		w.sound.Vote(t.Context(), w.victim.Ref(), blog.ID, visitor),
		w.sound.DeleteBlog(t.Context(), w.victim, blog.ID, visitor, domain.Any[domain.Revision]()),
	); err != nil {
		t.Fatal(err)
	}
	delivered := w.receive()
	m, err := domain.DecodeMessage(delivered.Text)
	w.ok(errors.Join(err, w.sound.Messages().Delete(t.Context(), delivered)))
	w.mustAsk()
	removed := 0
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == 1 {
			if err := w.sound.FinishBlog(ctx, m, func(rows int) { removed += rows }); err != nil {
				t.Errorf("deleting the votes: %v", err)
			}
		}
		return send(ctx)
	})
	w.finishOn(w.faulty)
	if removed != 1 {
		t.Errorf("%d votes were deleted beside the sweep, want 1", removed)
	}
	w.mustBeDeleted()
}
