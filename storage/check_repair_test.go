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
	t.Run("channel that lost its gate gets it again and keeps all its rows", bubble(lostGateIsPutUpAgain))
	t.Run("channel whose deletion was asked for gets no gate again", bubble(askedChannelGetsNoGate))
}

func lostGateIsPutUpAgain(t *testing.T, w *world) {
	channel := w.loseGate()
	if _, err := w.store.CreateChannel(t.Context(), w.channel("garden", eve)); !errors.Is(err, domain.ErrExists) {
		t.Errorf("who wants the name is told %v", err)
	}
	before := w.rows("Blogs")
	breaches, _ := w.run(true)
	if len(breaches) != 1 || breaches[0].Invariant != "I9" || breaches[0].Repaired != "put up its gate again" {
		t.Errorf("repaired %+v", breaches)
	}
	if after := w.rows("Blogs"); len(after) != len(before)+1 || !w.has("garden", openGateRow(channel.Incarnation)) {
		t.Errorf("%d rows became %d", len(before), len(after))
	}
	if breaches, _ := w.run(true); len(breaches) != 0 {
		t.Errorf("a second repair found %+v", breaches)
	}
	w.post(channel, grace, "two")
	if texts := slices.Sorted(slices.Values(w.texts(channel.Ref()))); !slices.Equal(texts, []string{"one", "two"}) {
		t.Errorf("the channel has the posts %q", texts)
	}
	w.delete(w.readChannel("garden"))
	if rows := w.rows("Blogs"); len(rows) != 0 {
		t.Errorf("its deletion left %v", rows)
	}
}

// A request to delete the channel died before its mark, or a late copy of the insert
// brought the row back after the deletion.
func askedChannelGetsNoGate(t *testing.T, w *world) {
	channel := w.loseGate()
	w.ok(w.store.RecordDeletion(t.Context(), domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: channel.Incarnation, Name: "garden", By: ada, AskedOn: domain.Now()}))
	for range 2 {
		breaches, _ := w.run(true)
		if len(breaches) != 1 || !strings.HasPrefix(breaches[0].Repaired, "left: ") {
			t.Errorf("repaired %+v", breaches)
		}
	}
	if w.has("garden", openGateRow(channel.Incarnation)) || len(w.texts(channel.Ref())) != 1 {
		t.Error("the gate is back, or the post is gone")
	}
}

// A repair deletes only the version that it read. A row that somebody else has
// written since stays.
func repairNeverDeletesChangedRow(t *testing.T) {
	for _, plant := range plants() {
		if plant.rerated {
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
