package fence_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestSweepRows(t *testing.T) {
	t.Run("a transaction that fails does not stop those under way", storetest.Bubble(failedTransactionStopsNoSibling))
	t.Run("a page that cannot be read does not stop the transactions under way", storetest.Bubble(unreadPageStopsNoSibling))
	t.Run("rows that another worker removes meanwhile are no failure, and do not count", storetest.Bubble(sweepsMeet))
}

// sweepsRows matches the transactions that remove a channel's rows.
func sweepsRows(call drivertest.Call) bool {
	return call.Method == "Transact" && call.Target == "Blogs" && len(call.Operations) > 1 &&
		strings.HasPrefix(call.Operations[0].Row, "gate!shut!") && call.Operations[1].Action == driver.ActionDelete
}

// shutWithPosts makes a channel of many rows behind a shut gate.
func shutWithPosts(w *storetest.World, posts int) domain.Channel {
	w.T.Helper()
	channel := w.Create("garden", ada)
	for i := range posts {
		w.Post(channel, grace, storetest.Text(i))
	}
	for _, step := range storetest.Cascade(w.Store, channel.Ref())[:2] {
		w.OK(step(w.T.Context()))
	}
	return channel
}

func sweepsMeet(t *testing.T, w *storetest.World) {
	channel := shutWithPosts(w, 10)
	sweep := func(s *storage.Parts) (rows int) {
		_, err := s.Operator.Sweep(t.Context(), channel.Ref(), "", func(n int) { rows += n })
		w.OK(err)
		return rows
	}
	first := 0
	w.Arm(drivertest.Only(sweepsRows, storetest.Before(1, func() { first = sweep(w.Store) })))
	if second := sweep(w.Faulty); first == 0 || second != 0 {
		t.Errorf("the first removed %d rows, and the second %d of the same", first, second)
	}
}

// The second and the fourth of four transactions fail immediately. The others take
// their time, and end.
func failedTransactionStopsNoSibling(t *testing.T, w *storetest.World) {
	channel := shutWithPosts(w, 132) // four transactions
	before := len(w.Rows("Blogs"))
	first, second := errors.New("first"), errors.New("second")
	w.Arm(drivertest.Only(sweepsRows, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch call.Seq {
		case 2:
			time.Sleep(time.Millisecond) // all are under way
			return first
		case 4:
			time.Sleep(time.Millisecond)
			return second
		}
		select {
		case <-time.After(time.Second):
			return send(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
	var removed atomic.Int64
	_, err := w.Faulty.Operator.Sweep(t.Context(), channel.Ref(), "", func(rows int) { removed.Add(int64(rows)) })
	if !errors.Is(err, first) || !errors.Is(err, second) {
		t.Errorf("sweeping reports %v, want both failures", err)
	}
	if left := len(w.Rows("Blogs")); removed.Load() == 0 || int(removed.Load()) != before-left {
		t.Errorf("%d rows are reported as removed, %d of %d are left", removed.Load(), left, before)
	}
}

// togetherThrough returns a store on the world's backend, which writes transactions together.
func togetherThrough(w *storetest.World, hook drivertest.Hook) *storage.Parts {
	return storage.New(drivertest.NewFaults(w.DB, hook), storage.Options{})
}

func unreadPageStopsNoSibling(t *testing.T, w *storetest.World) {
	channel := shutWithPosts(w, 700)
	before, pages := len(w.Rows("Blogs")), 0
	const first = 990 - 1 // the rows of a page without the gate
	store := togetherThrough(w, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case call.Method == "Range":
			if pages++; pages == 2 {
				time.Sleep(time.Millisecond) // the others are under way
				return drivertest.ErrInjected
			}
		case sweepsRows(call):
			time.Sleep(time.Second)
		}
		return send(ctx)
	})
	var removed atomic.Int64
	_, err := store.Operator.Sweep(t.Context(), channel.Ref(), "", func(rows int) { removed.Add(int64(rows)) })
	if left := len(w.Rows("Blogs")); !errors.Is(err, domain.ErrUnavailable) || removed.Load() != first || before-left != first {
		t.Errorf("%d rows are reported as removed, %d of %d are left, want %d removed; sweeping reports %v", removed.Load(), left, before, first, err)
	}
}
