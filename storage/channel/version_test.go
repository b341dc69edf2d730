package channel_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestChannelVersion(t *testing.T) {
	t.Run("an outdated incarnation costs a read and nothing else", bubble(outdatedIncarnationCostsOneRead))
	t.Run("a channel without its open gate is not found", bubble(ungatedChannelIsNotFound))
}

func outdatedIncarnationCostsOneRead(t *testing.T, w *world) {
	former := w.Create("garden", ada)
	w.Delete(former)
	channel := w.Create("garden", eve)
	for n := range 10 { // gates of creations that died, which sort before the channel's
		i := domain.Incarnation(fmt.Sprintf("%026d", n))
		w.Insert("garden", storetest.OpenGateRow(i), i)
	}
	_, right, err := w.Store.Channels.GetVersion(t.Context(), channel.Ref().Address(), channel.Incarnation)
	w.OK(err)
	w.Arm(drivertest.Pass)
	for _, remembered := range []domain.Incarnation{former.Incarnation, "", domain.NewIncarnation(), channel.Incarnation} {
		want := int64(3)
		if remembered == channel.Incarnation {
			want = 2
		}
		w.Calls.Store(0)
		_, version, err := w.Faulty.Channels.GetVersion(t.Context(), channel.Ref().Address(), remembered)
		if n := w.Calls.Load(); err != nil || version != right || n != want {
			t.Errorf("remembering %q: %q, %v in %d calls, want %q in %d", remembered, version, err, n, right, want)
		}
	}
}

func ungatedChannelIsNotFound(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	_, err := w.Store.Operator.ShutGate(t.Context(), channel.Ref())
	w.OK(err)
	i := domain.NewIncarnation()
	w.Insert("garden", storetest.OpenGateRow(i), i) // of a creation under way
	for _, remembered := range []domain.Incarnation{"", channel.Incarnation, i} {
		if shown, version, err := w.Store.Channels.GetVersion(t.Context(), channel.Ref().Address(), remembered); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("remembering %q it is %+v in version %q, %v", remembered, shown, version, err)
		}
	}
}
