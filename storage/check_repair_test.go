package storage_test

import (
	"context"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestRepair(t *testing.T) {
	t.Run("row that changed since it was read is not deleted", repairNeverDeletesChangedRow)
}

// A repair deletes only the version that it read. A row that somebody else has
// written since stays.
func repairNeverDeletesChangedRow(t *testing.T) {
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

// touch writes to the row that a repair is about to delete, and returns it.
func (w *world) touch(call drivertest.Call, op driver.Operation) driver.Entity {
	w.t.Helper()
	if _, conditional := op.If.ETag(); !conditional {
		w.t.Errorf("a repair deletes %q in any version", op.Row)
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
