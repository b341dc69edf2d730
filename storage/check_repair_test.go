package storage_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestRepair(t *testing.T) {
	t.Run("row that changed since it was read is not deleted", repairNeverDeletesChangedRow)
	t.Run("whose answer is lost is reported", lostRepairIsReported)
	t.Run("of a post of a user who is gone, in a channel that lost its gate, leaves it and its row on the list", bubble(ungatedPostIsLeft))
	t.Run("channel that lost its gate keeps its posts until its owner deletes it", bubble(lostGateIsLeft))
}

// Its rows are removed once its owner has deleted it.
func lostGateIsLeft(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "one")
	w.remove(channel.Key(), openGateRow(channel.Incarnation))
	if _, _, err := w.store.Channels.Create(t.Context(), w.channel("garden", eve), "", 0); !errors.Is(err, domain.ErrExists) {
		t.Errorf("who wants the name is told %v", err)
	}
	violations, _ := w.run(true)
	if len(violations) != 1 || violations[0].Invariant != "I9" || !strings.HasPrefix(violations[0].Repaired, "left: ") || len(w.texts(channel.Ref())) != 1 {
		t.Errorf("repaired %+v, and the posts are %q", violations, w.texts(channel.Ref()))
	}
	w.delete(channel)
	w.run(true)
	if violations, _ := w.run(false); len(violations) != 0 || len(w.rows("Blogs")) != 0 {
		t.Errorf("after its deletion: %+v, %+v", violations, w.rows("Blogs"))
	}
}

// A repair takes effect, and its answer is lost: nothing else says what was there.
func lostRepairIsReported(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
			plant.found(w)
			before := w.snapshot()
			w.arm(drivertest.Only(drivertest.Writes, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				_ = send(ctx) // the answer that is lost
				return drivertest.ErrInjected
			}))
			reported := 0
			_, err := w.faulty.Operator.NewChecker(patience, true, func(domain.Violation) { reported++ }).Run(t.Context())
			for key := range before {
				if _, still := w.snapshot()[key]; !still && reported == 0 {
					t.Errorf("the repair removed %+v, and reported nothing: %v", key, err)
				}
			}
		}))
	}
}

func ungatedPostIsLeft(t *testing.T, w *world) {
	w.account(lea)
	channel := w.create("garden", ada)
	post := w.post(channel, lea, "one")
	w.remove(channel.Key(), openGateRow(channel.Incarnation))
	w.leave(lea)
	w.work()
	for _, listed := range []bool{false, true} {
		if listed {
			w.ok(w.store.Operator.ListPosts(t.Context(), lea, post))
		}
		for range 2 {
			violations, _ := w.run(true)
			if got := places(violations); !slices.Contains(got, found("I12", "Blogs", "garden", "blog!"+string(post.ID))[0]) {
				t.Errorf("listed %t: repaired %q", listed, got)
			}
			for _, b := range violations {
				if !strings.HasPrefix(b.Repaired, "left: ") {
					t.Errorf("listed %t: repaired %+v", listed, b)
				}
			}
		}
	}
	if len(w.onList(lea)) != 1 {
		t.Error("the row that leads to the post is gone")
	}
}

// A repair deletes only the version that it read. A row that somebody else has
// written since stays.
func repairNeverDeletesChangedRow(t *testing.T) {
	for _, plant := range plants() {
		if plant.again {
			continue
		}
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
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
			_, err := w.faulty.Operator.NewChecker(patience, true, func(b domain.Violation) {
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
		}))
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
