package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// expiryMargin is how long after their end rows are removed.
const expiryMargin = 5 * time.Minute

func TestExpire(t *testing.T) {
	t.Run("each row goes when its time and the margin have passed", rowsGoInTime)
	t.Run("at most eight rows go at once", rowsGoAtOnce)
	t.Run("row that changes after it was read is spared", changedRowIsSpared)
	t.Run("failure is reported, and the next call removes what is left", failedExpiryIsRepeated)
}

func rowsGoInTime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.ended(1) // of an earlier version
		token := w.signedIn("ada", right)
		_, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		w.fail(w.store, "ada", limit) // in two rows, one of which is a known address
		for _, step := range []struct {
			after time.Duration
			gone  int
		}{
			{0, 1}, {window + expiryMargin - 1, 0}, {1, 1}, {time.Hour - window - 1, 0}, {1, 1},
			{account.SessionLifetime - time.Hour - 1, 0}, {1, 1}, {known - account.SessionLifetime, 1},
		} {
			time.Sleep(step.after)
			if n := w.expire(); n != step.gone {
				t.Errorf("after %s more, %d rows went, want %d", step.after, n, step.gone)
			}
		}
		w.mustNotBeSignedIn(token)
		if rows := append(w.rows("Sessions"), w.rows("Throttle")...); len(rows) != 0 || len(w.rows("Users")) != 1 {
			t.Errorf("left: %v", rows)
		}
	})
}

// ended writes rows that may be removed now.
func (w *world) ended(n int) {
	w.t.Helper()
	for i := range n {
		w.ok(w.table("Throttle").Transact(w.t.Context(), "user!a", driver.Insert(fmt.Sprintf("%019d", i),
			driver.Int64("Failures", 1), driver.Time("ExpiresOn", time.Now().Add(-expiryMargin)))))
	}
}

func writesTo(table string) func(drivertest.Call) bool {
	return func(call drivertest.Call) bool { return call.Writes() && call.Target == table }
}

func rowsGoAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ended(20)
		var mu sync.Mutex
		now, most := 0, 0
		w.arm(drivertest.Only(writesTo("Throttle"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
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
		if n, err := w.faulty.Expire(t.Context()); err != nil || n != 20 || most != 8 {
			t.Errorf("%d rows went, %d at once, %v; want 20, and 8 at once", n, most, err)
		}
	})
}

// A session is carried to another epoch, or a counter is raised, while the pass is at it.
func changedRowIsSpared(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ended(3)
		var once sync.Once
		w.arm(drivertest.Only(writesTo("Throttle"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			once.Do(func() {
				for i := range 3 {
					w.ok(w.table("Throttle").Transact(ctx, "user!a",
						driver.Merge(fmt.Sprintf("%019d", i), driver.Exists, driver.Time("ExpiresOn", time.Now().Add(time.Hour)))))
				}
			})
			return send(ctx)
		}))
		if n, err := w.faulty.Expire(t.Context()); err != nil || n != 0 || len(w.rows("Throttle")) != 3 {
			t.Errorf("%d rows that have changed went, %v", n, err)
		}
	})
}

func failedExpiryIsRepeated(t *testing.T) {
	eachFault(t, func(w *world) {
		w.ended(3)
		if _, err := w.faulty.Expire(w.t.Context()); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		w.expire()
		if left := w.rows("Throttle"); len(left) != 0 {
			w.t.Errorf("%d rows are left", len(left))
		}
	})
}
