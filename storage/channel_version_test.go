package storage_test

import (
	"errors"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestChannelVersion(t *testing.T) {
	t.Run("each change of a page changes the version", everyChangeChangesVersion)
	t.Run("what changes no page keeps the version", bubble(idleChannelKeepsVersion))
	t.Run("an outdated incarnation costs a read and nothing else", bubble(outdatedIncarnationCostsOneRead))
	t.Run("a channel without its open gate is not found", bubble(ungatedChannelIsNotFound))
}

// version is the version of a channel, read on the sound side.
func (w *world) version(at domain.ChannelAddress, remembered domain.Incarnation) storage.Version {
	w.t.Helper()
	_, version, err := w.store.Channels.GetVersion(w.t.Context(), at, remembered)
	w.ok(err)
	return version
}

func everyChangeChangesVersion(t *testing.T) {
	list := append(changes(), change{"description", func(w *world, c domain.Channel, _ domain.Blog) error {
		_, err := w.store.Channels.Update(w.t.Context(), c.Ref(), ada, describedAs("another"))
		return err
	}}, change{"next incarnation", func(w *world, c domain.Channel, _ domain.Blog) error {
		w.advance(c, stages)
		return nil
	}})
	for _, change := range list {
		t.Run(change.name, bubble(func(t *testing.T, w *world) {
			channel, blog := w.stage()
			at := domain.ChannelAddress{Key: channel.Key(), Expected: anyIncarnation}
			before := w.version(at, channel.Incarnation)
			w.ok(change.make(w, channel, blog))
			if after := w.version(at, channel.Incarnation); after == before || after == "" {
				t.Errorf("version %q became %q", before, after)
			}
		}))
	}
}

func idleChannelKeepsVersion(t *testing.T, w *world) {
	channel, blog := w.stage()
	other := w.create("garden2", grace)
	before := w.version(channel.Ref().Address(), "")
	w.post(other, grace, "elsewhere")
	w.ok(w.store.Posts.Vote(t.Context(), channel.Ref(), blog.ID, eve)) // has voted before
	w.texts(channel.Ref())
	w.reconcile()
	w.mustBeSound()
	if after := w.version(channel.Ref().Address(), channel.Incarnation); after != before || len(after) != 24 {
		t.Errorf("version %q became %q", before, after)
	}
	if strings.ContainsAny(string(before), `"\ `) {
		t.Errorf("%q cannot stand in an HTTP ETag", before)
	}
}

func outdatedIncarnationCostsOneRead(t *testing.T, w *world) {
	former, _ := w.stage()
	w.delete(former)
	channel := w.create("garden", eve)
	for range 11 { // gates of creations that died, which may sort before the channel's
		i := domain.NewIncarnation()
		w.insert("garden", openGateRow(i), i)
	}
	right := w.version(channel.Ref().Address(), channel.Incarnation)
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
