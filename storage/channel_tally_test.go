package storage_test

import (
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestTally(t *testing.T) {
	t.Run("many lanes become one property and count on", manyLanesAreFolded)
	t.Run("more lanes than fit into a property keep their sum", tooManyLanesKeepTheirSum)
}

// gateOf is the shut gate of a channel.
func (w *world) gateOf(ref domain.ChannelRef) driver.Entity {
	w.t.Helper()
	gate, err := w.db.Get(w.t.Context(), "Blogs", string(ref.Key), shutGateRow(ref.Incarnation))
	w.ok(err)
	return gate
}

// count makes lanes of as many other handlings count on a shut gate, as sweeps do.
func (w *world) count(ref domain.ChannelRef, handlings int, rows int64) (last string) {
	w.t.Helper()
	properties := make([]driver.Property, handlings)
	for i := range properties {
		last = "Swept" + string(domain.NewRevision()) + "_0"
		properties[i] = driver.Int64(last, rows)
	}
	w.ok(w.db.Transact(w.t.Context(), "Blogs", string(ref.Key),
		[]driver.Operation{driver.Merge(shutGateRow(ref.Incarnation), driver.Exists, properties...)}))
	return last
}

// total is what a handling that begins now finds counted, and what it would record.
func (w *world) total(ref domain.ChannelRef) int64 {
	w.t.Helper()
	tally, err := w.store.ShutGate(w.t.Context(), ref)
	w.ok(err)
	rows, err := w.store.SweptRows(w.t.Context(), ref, tally)
	w.ok(err)
	if rows != tally.Before() {
		w.t.Errorf("%d rows are counted at the end, and %d at the start", rows, tally.Before())
	}
	return rows
}

func manyLanesAreFolded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ref := w.shutWithPosts(1).Ref()
		last := w.count(ref, 100, 99)
		if got := w.total(ref); got != 100*99 {
			t.Errorf("%d rows are counted, want %d", got, 100*99)
		}
		if n := len(w.gateOf(ref).Properties); n != 2 {
			t.Errorf("the gate has %d properties, want its incarnation and the lanes", n)
		}
		// One of the handlings is still at work.
		w.ok(w.db.Transact(t.Context(), "Blogs", string(ref.Key),
			[]driver.Operation{driver.Merge(shutGateRow(ref.Incarnation), driver.Exists, driver.Int64(last, 2*99))}))
		if got := w.total(ref); got != 101*99 {
			t.Errorf("%d rows are counted after one more transaction, want %d", got, 101*99)
		}
		w.count(ref, 100, 1)
		if got := w.total(ref); got != 101*99+100 {
			t.Errorf("%d rows are counted after 100 more handlings, want %d", got, 101*99+100)
		}
	})
}

func tooManyLanesKeepTheirSum(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ref := w.shutWithPosts(1).Ref()
		for i := range 20 {
			w.count(ref, 100, 9_999_999)
			if got, want := w.total(ref), int64(i+1)*100*9_999_999; got != want {
				t.Fatalf("%d rows are counted, want %d", got, want)
			}
		}
		text := w.gateOf(ref).Properties.String("SweptBefore")
		if n := len(strings.Fields(text)); n > 700 || !slices.ContainsFunc(strings.Fields(text), func(s string) bool { return strings.HasPrefix(s, "_:") }) {
			t.Errorf("%d lanes are kept apart: %.100s", n, text)
		}
	})
}
