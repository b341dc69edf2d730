package fence_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestChannelRelease(t *testing.T) {
	t.Run("name of an active channel is not released", storetest.Bubble(activeNameIsNotReleased))
	t.Run("gate that has gone is not shut again, and to remove it again is no error", storetest.Bubble(goneGateIsNotShut))
	t.Run("delayed row does not stop it", storetest.Bubble(lateRowDoesNotStopRelease))
	t.Run("next channel of the name stays, if it is created after the row was read", storetest.Bubble(nextChannelStays))
	t.Run("delayed row that takes effect after the row was read goes too", storetest.Bubble(rowThatComesBackGoes))
}

func activeNameIsNotReleased(t *testing.T, w *storetest.World) {
	channel := w.Create("garden", ada)
	if err := w.Store.Operator.ReleaseName(t.Context(), channel.Ref()); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("released an active channel: %v", err)
	}
	w.Post(channel, grace, "one")
	w.MustBeSound()
}

func goneGateIsNotShut(t *testing.T, w *storetest.World) {
	channel := w.Create("garden", ada)
	for n, want := range []bool{true, true, false} {
		if n == 2 {
			for range 2 {
				w.OK(w.Store.Operator.RemoveGate(t.Context(), channel.Ref()))
			}
		}
		if shut, err := w.Store.Operator.ShutGate(t.Context(), channel.Ref()); err != nil || shut != want {
			t.Errorf("asked %d times, the gate is shut: %t, %v", n+1, shut, err)
		}
	}
}

// Another worker deletes the row first.
func nextChannelStays(t *testing.T, w *storetest.World) {
	channel := w.Create("garden", ada)
	for _, step := range storetest.Cascade(w.Store, channel.Ref())[:4] {
		w.OK(step(t.Context()))
	}
	w.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() {
		w.OK(w.Store.Operator.ReleaseName(t.Context(), channel.Ref()))
		w.Create("garden", grace)
	})))
	w.OK(w.Faulty.Operator.ReleaseName(t.Context(), channel.Ref()))
	if rows := w.Rows("Channels"); len(rows) != 1 {
		t.Errorf("the channels are %v", rows)
	}
}

// Another worker deletes the row first, and then a delayed duplicate of the insert takes effect.
func rowThatComesBackGoes(t *testing.T, w *storetest.World) {
	channel := w.Create("garden", ada)
	inserted := w.Rows("Channels")[0]
	for _, step := range storetest.Cascade(w.Store, channel.Ref())[:4] {
		w.OK(step(t.Context()))
	}
	w.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() {
		w.OK(w.Store.Operator.ReleaseName(t.Context(), channel.Ref()))
		w.OK(w.Table("Channels").Transact(t.Context(), inserted.Partition, driver.Insert(inserted.Row, inserted.Properties...)))
	})))
	w.OK(w.Faulty.Operator.ReleaseName(t.Context(), channel.Ref()))
	if rows := w.Rows("Channels"); len(rows) != 0 {
		t.Errorf("left: %v", rows)
	}
}

// A delayed duplicate of the insert has taken the place of the marked row.
func lateRowDoesNotStopRelease(t *testing.T, w *storetest.World) {
	channel := w.Create("garden", ada)
	for _, step := range storetest.Cascade(w.Store, channel.Ref())[:4] {
		w.OK(step(t.Context()))
	}
	w.OK(w.Table("Channels").Transact(t.Context(), "garden",
		driver.Merge("", driver.Exists, driver.String("State", domain.ChannelActive))))
	w.OK(w.Store.Operator.ReleaseName(t.Context(), channel.Ref()))
	if rows := w.Rows("Channels"); len(rows) != 0 {
		t.Errorf("left: %v", rows)
	}
}
