package account_test

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

// expiryMargin is how long after their end rows are removed.
const expiryMargin = 5 * time.Minute

// longEnded is when a row ended that may be removed now.
func longEnded() time.Time { return time.Now().Add(-expiryMargin) }

func TestExpiry(t *testing.T) {
	t.Run("rows of one partition go in batches", expiredRowsGoInBatches)
	t.Run("transactions of different partitions are under way at once", expiryIsConcurrent)
	t.Run("row that changes after it was read is spared", changedRowIsSpared)
	t.Run("failure is reported, and the next pass removes what is left", failedExpiryIsRepeated)
	t.Run("row of an earlier version's index goes when its time has come", earlierIndexGoes)
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
		if n := w.expire(); n != 0 {
			t.Errorf("%d rows went before their margin was over", n)
		}
		if _, _, err := w.store.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("a link that is kept for the margin: %v", err)
		}
		time.Sleep(time.Second)
		if n := w.expire(); n != 4 {
			t.Errorf("%d rows went after the margin, want 4", n)
		}
	})
}

// counters writes rows of one Throttle partition that end at the same time.
func (w *world) counters(partition string, n int, ends time.Time) {
	w.t.Helper()
	for first := 0; first < n; first += driver.MaxOperations {
		var ops []driver.Operation
		for i := first; i < min(n, first+driver.MaxOperations); i++ {
			ops = append(ops, driver.Insert(fmt.Sprintf("%019d", i), driver.Int64("Failures", 1), driver.Time("ExpiresOn", ends)))
		}
		w.ok(w.table("Throttle").Transact(w.t.Context(), partition, ops...))
	}
}

// reconcileFaulty removes what has expired on the faulty side.
func (w *world) reconcileFaulty() (expired int, err error) {
	return w.faulty.Expire(w.t.Context())
}

func expiredRowsGoInBatches(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.counters("user!a", 250, longEnded())
		w.counters("user!b", 3, time.Now().Add(time.Hour))
		var transactions atomic.Int64
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Writes() },
			func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				transactions.Add(1)
				return send(ctx)
			}))
		if expired, err := w.reconcileFaulty(); err != nil || expired != 250 || transactions.Load() != 3 {
			t.Errorf("%d rows went in %d transactions, %v; want 250 in 3", expired, transactions.Load(), err)
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
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Writes() },
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

func earlierIndexGoes(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		end := time.Now().Add(time.Hour)
		w.ok(w.table("Sessions").Transact(t.Context(), fmt.Sprintf("due!%019d!0", end.Unix()),
			driver.Merge("hash", driver.Upsert, driver.Time("ExpiresOn", end))))
		time.Sleep(time.Hour + expiryMargin)
		if expired, err := w.store.Expire(t.Context()); err != nil || expired != 1 {
			t.Errorf("%d rows went, %v", expired, err)
		}
	})
}

// A session is carried to another epoch, or a counter is raised, while the pass is at it.
func changedRowIsSpared(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.counters("user!a", 3, longEnded())
		w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Throttle" && call.Writes() },
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
		w.expire()
		if left := w.rows("Throttle"); len(left) != 0 {
			w.t.Errorf("%d rows are left", len(left))
		}
	})
}
