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
	t.Run("gate that is put up again lets nobody into a channel that is gone", lostGateBesideDeletion)
	t.Run("gate that two repairs put up at once stays, and lets posts in", twoRepairsPutUpOneGate)
	t.Run("late copy of a repair puts up no gate", lateRepairPutsUpNoGate)
}

// loseGate deletes the open gate and nothing else.
func (w *world) loseGate(channel domain.Channel) {
	w.t.Helper()
	w.remove(channel.Key(), openGateRow(channel.Incarnation))
}

func lostGateIsPutUpAgain(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.vote(w.post(channel, grace, "one"), 0, 3)
	w.loseGate(channel)
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
	channel := w.create("garden", ada)
	w.post(channel, grace, "one")
	w.loseGate(channel)
	w.ok(w.store.OpenDeletion(t.Context(), domain.Message{
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

// The whole deletion, or a part of it, comes between any two calls of the repair. Then the
// gate of a channel that is gone is not there, and what was posted under its name since
// stays.
func lostGateBesideDeletion(t *testing.T) {
	for steps := 0; steps < stages; steps++ {
		eachCall(t, "is overtaken by steps of a deletion", func(w *world, n int) {
			channel := w.create("garden", ada)
			w.post(channel, grace, "one")
			w.loseGate(channel)
			w.arm(before(n, func() {
				w.forget(channel)
				w.advance(channel, steps)
			}))
			_, err := w.faulty.NewChecker(patience, true, func(domain.Breach) {}).Run(w.t.Context())
			w.ok(err)
			calls := w.calls.Load()
			if _, err := w.store.ChannelAt(w.t.Context(), channel.Ref().Address()); err != nil && steps > 1 && w.has("garden", openGateRow(channel.Incarnation)) {
				w.t.Errorf("the gate stands, and the channel: %v", err)
			}
			w.finishDeletion(channel, 0) // a late worker
			if now, err := w.store.Channel(w.t.Context(), "garden"); err == nil && !slices.Contains(w.texts(now.Ref()), "of the next incarnation") {
				w.t.Error("a late worker has deleted a post of the next incarnation")
			}
			if _, _, err := w.store.Post(w.t.Context(), posting(channel, grace, "late")); err == nil {
				w.t.Error("a post landed in a channel that is gone")
			}
			w.calls.Store(calls)
		})
	}
}

// A second repair, and the owner who writes a description, come between any two calls of the
// first.
func twoRepairsPutUpOneGate(t *testing.T) {
	eachCall(t, "is overtaken by another repair", func(w *world, n int) {
		channel := w.create("garden", ada)
		w.post(channel, grace, "one")
		w.loseGate(channel)
		w.arm(before(n, func() {
			w.run(true)
			_, err := w.store.Describe(w.t.Context(), channel.Ref(), ada, "from between")
			w.ok(err)
		}))
		_, err := w.faulty.NewChecker(patience, true, func(domain.Breach) {}).Run(w.t.Context())
		w.ok(err)
		calls := w.calls.Load()
		w.post(channel, grace, "two")
		if breaches, _ := w.run(false); len(breaches) > 0 {
			w.t.Errorf("after two repairs: %+v", breaches)
		}
		w.calls.Store(calls)
	})
}

// Each call of a repair arrives once more after the channel was deleted.
func lateRepairPutsUpNoGate(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		channel := w.create("garden", ada)
		w.post(channel, grace, "one")
		w.loseGate(channel)
		_, err := w.faulty.NewChecker(patience, true, func(domain.Breach) {}).Run(w.t.Context())
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		w.run(true)
		w.ask(channel)
		w.carryOut(w.messages())
		w.arrive(late)
		if w.has("garden", openGateRow(channel.Incarnation)) {
			w.t.Error("the gate of a deleted channel stands")
		}
	})
}

// A repair deletes only the version that it read. A row that somebody else has
// written since stays.
func repairNeverDeletesChangedRow(t *testing.T) {
	for _, plant := range plants() {
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
