package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestChannelVersion(t *testing.T) {
	t.Run("an outdated incarnation costs a read and nothing else", bubble(outdatedIncarnationCostsOneRead))
	t.Run("a channel without its open gate is not found", bubble(ungatedChannelIsNotFound))
}

func outdatedIncarnationCostsOneRead(t *testing.T, w *world) {
	former := w.create("garden", ada)
	w.delete(former)
	channel := w.create("garden", eve)
	for range 11 { // gates of creations that died, which may sort before the channel's
		i := domain.NewIncarnation()
		w.insert("garden", openGateRow(i), i)
	}
	_, right, err := w.store.Channels.GetVersion(t.Context(), channel.Ref().Address(), channel.Incarnation)
	w.ok(err)
	w.arm(drivertest.Pass)
	for _, remembered := range []domain.Incarnation{former.Incarnation, "", domain.NewIncarnation()} {
		w.calls.Store(0)
		_, version, err := w.faulty.Channels.GetVersion(t.Context(), channel.Ref().Address(), remembered)
		if n := w.calls.Load(); err != nil || version != right || n > 3 {
			t.Errorf("remembering %q: %q, %v in %d calls, want %q in 3", remembered, version, err, n, right)
		}
	}
}

func ungatedChannelIsNotFound(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	_, err := w.store.Operator.ShutGate(t.Context(), channel.Ref())
	w.ok(err)
	i := domain.NewIncarnation()
	w.insert("garden", openGateRow(i), i) // of a creation under way
	for _, remembered := range []domain.Incarnation{"", channel.Incarnation, i} {
		if shown, version, err := w.store.Channels.GetVersion(t.Context(), channel.Ref().Address(), remembered); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("remembering %q it is %+v in version %q, %v", remembered, shown, version, err)
		}
	}
}
