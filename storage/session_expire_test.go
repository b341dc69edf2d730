package storage_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// maxExpired is the largest number of rows of a table that one pass removes.
const maxExpired = 5000

// expiryMargin is how long after their end rows are removed.
const expiryMargin = 5 * time.Minute

// longEnded is when a row ended that may be removed now.
func longEnded() time.Time { return time.Now().Add(-expiryMargin) }

func TestExpiry(t *testing.T) {
	t.Run("rows of one partition go in batches", expiredRowsGoInBatches)
	t.Run("transactions of different partitions are under way at once", expiryIsConcurrent)
	t.Run("one pass removes a bounded number of rows", expiryIsBounded)
	t.Run("row that changes after it was read is spared", changedRowIsSpared)
	t.Run("failure is reported, and the next pass removes what is left", failedExpiryIsRepeated)
	t.Run("failure cuts off no transaction that is under way", failedExpiryCutsOffNothing)
	t.Run("process whose clock is ahead removes nothing that lives for others", clockAheadRemovesNothing)
}

func clockAheadRemovesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		link, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		w.counters("user!a", 3, time.Now().Add(time.Hour))
		// This process reads its clock, and is ahead of others by up to the margin.
		time.Sleep(time.Hour + expiryMargin - time.Second)
		if done := w.reconcileAfter(patience); done.Expired != 0 {
			t.Errorf("%d rows went before their margin was over", done.Expired)
		}
		if _, _, err := w.store.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("a link that is kept for the margin: %v", err)
		}
		time.Sleep(time.Second)
		if done := w.reconcileAfter(patience); done.Expired != 4 {
			t.Errorf("%d rows went after the margin, want 4", done.Expired)
		}
	})
}

// counters writes rows of one Throttle partition that end at the same time, and the row by
// which they are found.
func (w *world) counters(partition string, n int, ends time.Time) {
	w.t.Helper()
	for first := 0; first < n; first += driver.MaxOperations {
		var ops []driver.Operation
		for i := first; i < min(n, first+driver.MaxOperations); i++ {
			ops = append(ops, driver.Insert(fmt.Sprintf("%019d", i), driver.Int64("Failures", 1), driver.Time("ExpiresOn", ends)))
		}
		w.ok(w.table("Throttle").Transact(w.t.Context(), partition, ops...))
	}
	w.due("Throttle", partition, ends)
}

// due writes the row by which the rows of a partition are found that end at a time.
func (w *world) due(table, partition string, ends time.Time) {
	w.t.Helper()
	w.ok(w.table(table).Transact(w.t.Context(), fmt.Sprintf("due!%019d!0", ends.Unix()),
		driver.Merge(partition, driver.Upsert, driver.Time("ExpiresOn", ends))))
}

// reconcileFaulty removes what has expired on the faulty side.
func (w *world) reconcileFaulty() (expired int, err error) {
	expired, _, err = w.faulty.Expire(w.t.Context())
	return expired, err
}

func expiredRowsGoInBatches(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.counters("user!a", 250, longEnded())
		w.counters("user!b", 3, time.Now().Add(time.Hour))
		var transactions atomic.Int64
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Write },
			func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				transactions.Add(1)
				return send(ctx)
			}))
		if expired, err := w.reconcileFaulty(); err != nil || expired != 250 || transactions.Load() != 4 {
			t.Errorf("%d rows went in %d transactions, %v; want 250 in 3, and one for the row that named them", expired, transactions.Load(), err)
		}
		if left := w.rows("Throttle"); len(left) != 3 {
			t.Errorf("%d rows are left, want 3", len(left))
		}
	})
}

func expiryIsConcurrent(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 20 {
			w.counters(fmt.Sprintf("user!%d", i), 1, longEnded())
		}
		var mu sync.Mutex
		now, most := 0, 0
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Write },
			func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Second) // in the bubble: every transaction that can start has started
				mu.Lock()
				now--
				mu.Unlock()
				return send(ctx)
			}))
		expired, err := w.reconcileFaulty()
		if err != nil || expired != 20 || most < 2 || most > 8 {
			t.Errorf("%d rows went, %d transactions at once, %v; want 20, and 2 to 8 at once", expired, most, err)
		}
	})
}

func expiryIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.counters("user!a", maxExpired+30, longEnded())
		for _, want := range []int{maxExpired, 30, 0} {
			if expired, err := w.reconcileFaulty(); err != nil || expired != want {
				t.Errorf("%d rows went, %v, want %d", expired, err, want)
			}
		}
	})
}

// A session is carried to another epoch, or a counter is raised, while the pass is at it.
func changedRowIsSpared(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.counters("user!a", 3, longEnded())
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Write },
			func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				w.ok(w.table("Throttle").Transact(ctx, "user!a",
					driver.Merge(fmt.Sprintf("%019d", 1), driver.Exists, driver.Time("ExpiresOn", time.Now().Add(time.Hour)))))
				return send(ctx)
			}))
		if expired, err := w.reconcileFaulty(); err != nil || expired != 0 {
			t.Errorf("%d rows of a batch that has changed went, %v", expired, err)
		}
		w.arm(drivertest.Pass)
		if expired, err := w.reconcileFaulty(); err != nil || expired != 2 {
			t.Errorf("%d rows went in the next pass, %v; want 2", expired, err)
		}
		if left := w.rows("Throttle"); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	})
}

func failedExpiryIsRepeated(t *testing.T) {
	eachFault(t, func(w *world) {
		w.counters("user!a", 120, longEnded())
		w.counters("user!b", 1, longEnded())
		if _, err := w.reconcileFaulty(); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		w.reconcileAfter(patience)
		if left := w.rows("Throttle"); len(left) != 0 {
			w.t.Errorf("%d rows are left", len(left))
		}
	})
}

// One transaction fails while seven others are under way. These are counted, and few
// more are sent to a store that fails.
func failedExpiryCutsOffNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 100 {
			w.counters(fmt.Sprintf("user!%03d", i), 1, longEnded())
		}
		var mu sync.Mutex
		sent := 0
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Write },
			func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				mu.Lock()
				sent++
				first := sent == 1
				mu.Unlock()
				if first {
					time.Sleep(time.Second)
					return drivertest.ErrInjected
				}
				time.Sleep(2 * time.Second)
				// A call that is cut off can have taken effect.
				return errors.Join(send(context.WithoutCancel(ctx)), ctx.Err())
			}))
		expired, err := w.reconcileFaulty()
		left := len(w.rows("Throttle"))
		if !errors.Is(err, drivertest.ErrInjected) || expired != 100-left || sent > 10 {
			t.Errorf("%d rows went, %d are left, %d transactions were sent, %v", expired, left, sent, err)
		}
	})
}
