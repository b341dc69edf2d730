package storage_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A repair changes what it read and nothing else: a row that somebody writes to
// before the repair gets to it stays, for whoever wrote to it knows better.
func TestARepairNeverDeletesWhatChangedSinceItWasRead(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				plant.found(w)
				touched := map[string][]driver.Entity{}
				w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					for _, op := range call.Operations {
						if op.Action == driver.ActionDelete {
							touched[call.Target] = append(touched[call.Target], w.touch(call, op))
						}
					}
					return send(ctx)
				})
				_, err := w.faulty.NewChecker(patience, true, func(b domain.Breach) {
					if b.Repaired == "deleted" && b.Table == "Blogs" {
						t.Errorf("reported as deleted: %+v", b)
					}
				}).Run(t.Context())
				w.ok(err)
				for table, rows := range touched {
					for _, row := range rows {
						if _, err := w.table(table).Get(t.Context(), row.Partition, row.Row); err != nil {
							t.Errorf("%s has changed, and is deleted: %v", row.Row, err)
						}
					}
				}
			})
		})
	}
}

// touch writes to a row that is about to be deleted.
func (w *world) touch(call drivertest.Call, op driver.Operation) driver.Entity {
	w.t.Helper()
	if _, conditional := op.If.ETag(); !conditional {
		w.t.Errorf("a repair deletes %q whatever stands", op.Row)
	}
	for _, row := range w.rows(call.Target) {
		if row.Row == op.Row {
			w.ok(w.table(call.Target).Transact(w.t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists)))
			return row
		}
	}
	w.t.Fatalf("a repair deletes %q, which is not there", op.Row)
	panic("unreachable")
}

// The memory that a check takes does not grow with what it reads.
func TestACheckStreams(t *testing.T) {
	w := newWorld(t)
	channel, filled := w.create("garden", ada), 0
	peak := func(rows int) uint64 {
		for ; filled < rows; filled += 99 {
			w.fill(channel)
		}
		var least, most uint64 = 1 << 62, 0
		checker := w.through(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least, most = min(least, m.HeapAlloc), max(most, m.HeapAlloc)
			return send(ctx)
		}).NewChecker(time.Hour, false, func(b domain.Breach) { t.Errorf("found %+v", b) })
		counts, err := checker.Run(t.Context())
		if err != nil || counts.Rows < rows {
			t.Errorf("checked %+v of %d rows, %v", counts, rows, err)
		}
		return most - least
	}
	few := peak(2_000)
	many := peak(50_000)
	t.Logf("a check of 2,000 rows takes %d KiB, of 50,000 rows %d KiB", few>>10, many>>10)
	if many > 2*few {
		t.Errorf("a check of 2,000 rows takes %d bytes, of 50,000 rows %d", few, many)
	}
}

// fill adds 99 rows of posts to a channel.
func (w *world) fill(channel domain.Channel) {
	w.t.Helper()
	var ops []driver.Operation
	of := driver.String("Incarnation", channel.Incarnation)
	for range 33 {
		id := domain.NewBlogID(domain.Now())
		ops = append(ops,
			driver.Insert("blog!"+string(id), of, driver.String("Text", "text"), driver.Int64("Rating", 0)),
			driver.Insert(rateRow(0, id), of),
			driver.Insert("once!"+string(id), of))
	}
	w.ok(w.table("Blogs").Transact(w.t.Context(), string(channel.Key()), ops...))
}
