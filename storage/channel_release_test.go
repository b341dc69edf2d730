package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestChannelRelease(t *testing.T) {
	t.Run("name of an active channel is not released", bubble(activeNameIsNotReleased))
	t.Run("gate that has gone is not shut again", bubble(goneGateIsNotShut))
	t.Run("row that lands late does not stop it", bubble(lateRowDoesNotStopRelease))
}

func activeNameIsNotReleased(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	if err := w.store.Operator.ReleaseName(t.Context(), channel.Ref()); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("released an active channel: %v", err)
	}
	w.post(channel, grace, "one")
	w.mustBeSound()
}

func goneGateIsNotShut(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for n, want := range []bool{true, true, false} {
		if n == 2 {
			w.ok(w.store.Operator.RemoveGate(t.Context(), channel.Ref()))
		}
		if shut, err := w.store.Operator.ShutGate(t.Context(), channel.Ref()); err != nil || shut != want {
			t.Errorf("asked %d times, the gate is shut: %t, %v", n+1, shut, err)
		}
	}
}

// A delayed duplicate of the insert has taken the place of the marked row.
func lateRowDoesNotStopRelease(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for _, step := range cascade(w.store, channel.Ref())[:4] {
		w.ok(step(t.Context()))
	}
	w.ok(w.table("Channels").Transact(t.Context(), "garden",
		driver.Merge("", driver.Exists, driver.String("State", domain.ChannelActive))))
	w.ok(w.store.Operator.ReleaseName(t.Context(), channel.Ref()))
	if rows := w.rows("Channels"); len(rows) != 0 {
		t.Errorf("left: %v", rows)
	}
}
