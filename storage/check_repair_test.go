package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestRepair(t *testing.T) {
	t.Run("row that changed since it was read is not deleted", repairNeverDeletesChangedRow)
	t.Run("whose answer is lost is reported", lostRepairIsReported)
	t.Run("of a post of a user who is gone, in a channel that lost its gate, leaves it and its row on the list", bubble(ungatedPostIsLeft))
	t.Run("channel that lost its gate keeps its posts until its owner deletes it", bubble(lostGateIsLeft))
	t.Run("subscriber who died by a clock that was a day ahead leaves no row", bubble(aheadJoinerIsRepaired))
	t.Run("join row of a dead joiner is not counted, and is deleted once it is old", bubble(joinRowOfDeadJoinerIsNotCounted))
	t.Run("posts that are missing on the lists of their authors are told, and listed", bubble(repairListsMissing))
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

func aheadJoinerIsRepaired(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.insert("garden", "join!grace", channel.Incarnation, driver.Time("SubscribedOn", time.Now()))
	w.postdate("Blogs")
	if w.run(true); w.has("garden", "join!grace") {
		t.Error("the row is left")
	}
}

func joinRowOfDeadJoinerIsNotCounted(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.insert("garden", "join!grace", channel.Incarnation, driver.Time("SubscribedOn", time.Now()))
	if n, _, err := w.store.Subscriptions.Count(t.Context(), channel.Ref()); n != 1 || err != nil {
		t.Errorf("%d subscribers are counted, %v, want the owner alone", n, err)
	}
	for _, old := range []bool{false, true} {
		if violations, _ := w.run(true); len(violations) != 0 || w.has("garden", "join!grace") == old {
			t.Errorf("old %v: a repair found %+v, and left the row: %v", old, violations, !old)
		}
		time.Sleep(patience)
	}
}

func repairListsMissing(t *testing.T, w *world) {
	garden, pond := w.create("garden", ada), w.create("pond", ada)
	for i := range 80 {
		w.unlist(w.post(garden, grace, fmt.Sprint(i)))
		w.unlist(w.post(garden, eve, fmt.Sprint("of another ", i)))
	}
	w.post(pond, grace, "listed")
	if violations, _ := w.run(false); len(violations) != 160 || len(w.onList(grace)) != 1 || len(w.onList(eve)) != 0 {
		t.Errorf("%d posts are told of, want 160", len(violations))
	}
	w.run(true)
	if violations, _ := w.run(false); len(violations) != 0 || len(w.onList(grace)) != 81 || len(w.onList(eve)) != 80 {
		t.Errorf("after the repair: %d violations, %d and %d posts", len(violations), len(w.onList(grace)), len(w.onList(eve)))
	}
}

// unlist takes a post off its author's list.
func (w *world) unlist(blog domain.Blog) {
	w.t.Helper()
	w.ok(w.table("Users").Transact(w.t.Context(), string(blog.UserID), driver.Delete("wrote!"+string(blog.ID), driver.Exists)))
}
