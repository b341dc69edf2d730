package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/fresh"
)

func TestChannelVersion(t *testing.T) {
	t.Run("each change of a page changes the version", everyChangeChangesVersion)
	t.Run("what changes no page keeps the version", bubble(idleChannelKeepsVersion))
	t.Run("a wrong hint costs a read and nothing else", bubble(wrongHintCostsOneRead))
	t.Run("the errors are those of the channel", bubble(versionFailsAsChannelDoes))
	t.Run("a channel without its open gate has none", bubble(ungatedChannelHasNoVersion))
}

func TestReadCached(t *testing.T) {
	t.Run("what is kept is read once", bubble(keptIsReadOnce))
	t.Run("nothing without a version is kept", bubble(nothingUnversionedIsKept))
}

// version is the version of a channel, read on the sound side.
func (w *world) version(at domain.ChannelAddress, hint domain.Incarnation) storage.Version {
	w.t.Helper()
	_, version, err := w.store.ChannelVersion(w.t.Context(), at, hint)
	w.ok(err)
	return version
}

func everyChangeChangesVersion(t *testing.T) {
	list := append(changes(), change{"description", func(w *world, c domain.Channel, _ domain.Blog) error {
		_, err := w.store.Describe(w.t.Context(), c.Ref(), ada, "another")
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
	w.ok(w.store.Vote(t.Context(), channel.Ref(), blog.ID, eve)) // has voted before
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

func wrongHintCostsOneRead(t *testing.T, w *world) {
	former, _ := w.stage()
	w.delete(former)
	channel := w.create("garden", eve)
	for range 11 { // gates of creations that died, which may sort before the channel's
		i := domain.NewIncarnation()
		w.insert("garden", openGateRow(i), i)
	}
	right := w.version(channel.Ref().Address(), channel.Incarnation)
	w.arm(drivertest.Pass)
	for _, hint := range []domain.Incarnation{former.Incarnation, "", domain.NewIncarnation()} {
		w.calls.Store(0)
		_, version, err := w.faulty.ChannelVersion(t.Context(), channel.Ref().Address(), hint)
		if n := w.calls.Load(); err != nil || version != right || n > 3 {
			t.Errorf("with hint %q: %q, %v in %d calls, want %q in 3", hint, version, err, n, right)
		}
	}
}

func versionFailsAsChannelDoes(t *testing.T, w *world) {
	channel, _ := w.stage()
	at := channel.Ref().Address()
	mustFail := func(want error) {
		t.Helper()
		for _, hint := range []domain.Incarnation{"", channel.Incarnation} {
			_, version, err := w.store.ChannelVersion(t.Context(), at, hint)
			if _, plain := w.store.ChannelAt(t.Context(), at); !errors.Is(err, want) || err.Error() != plain.Error() || version != "" {
				t.Errorf("%q, %v, want %v", version, err, plain)
			}
		}
	}
	w.advance(channel, 1)
	mustFail(domain.ErrGone)
	w.finishDeletion(channel, 1)
	mustFail(domain.ErrNotFound)
	w.create("garden", eve)
	mustFail(domain.ErrConflict)
}

func ungatedChannelHasNoVersion(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	_, err := w.store.ShutGate(t.Context(), channel.Ref())
	w.ok(err)
	i := domain.NewIncarnation()
	w.insert("garden", openGateRow(i), i) // of a creation under way
	for _, hint := range []domain.Incarnation{"", channel.Incarnation, i} {
		if version := w.version(channel.Ref().Address(), hint); version != "" {
			t.Errorf("with hint %q the version is %q", hint, version)
		}
	}
}

// A shelf is the cache of one process.
type shelf map[string]storage.Kept[string]

func (s shelf) Get(key string) (storage.Kept[string], bool) { kept, ok := s[key]; return kept, ok }

func (s shelf) Set(key string, kept storage.Kept[string]) { s[key] = kept }

// page is what a channel's page shows, read through the cache. It counts in reads how
// often the content was read.
func (w *world) page(s *storage.Store, cache shelf, at domain.ChannelAddress, reads *int) (string, error) {
	kept, err := fresh.ReadCached(w.t.Context(), s.Versions, cache, at, string(at.Key),
		func(ctx context.Context, c domain.Channel, v storage.Version) (string, error) {
			*reads++
			page, err := s.Blogs(ctx, c.Ref(), storage.BlogQuery{Limit: 10})
			if err != nil {
				return "", err
			}
			n, _, err := s.Subscribers(ctx, c.Ref())
			return fmt.Sprint(c.Description, page.Items, n), err
		})
	return kept.Value, err
}

func keptIsReadOnce(t *testing.T, w *world) {
	channel, _ := w.stage()
	cache, reads := shelf{}, 0
	w.arm(drivertest.Pass)
	first, err := w.page(w.faulty, cache, channel.Ref().Address(), &reads)
	w.ok(err)
	w.calls.Store(0)
	second, err := w.page(w.faulty, cache, channel.Ref().Address(), &reads)
	w.ok(err)
	if first != second || reads != 1 || w.calls.Load() != 2 {
		t.Errorf("read %d times, the second time in %d calls: %q, %q", reads, w.calls.Load(), first, second)
	}
}

func nothingUnversionedIsKept(t *testing.T, w *world) {
	channel, _ := w.stage()
	cache, reads := shelf{}, 0
	w.ungate(channel)
	for want := 1; want <= 2; want++ {
		_, err := w.page(w.store, cache, channel.Ref().Address(), &reads)
		if w.ok(err); reads != want || len(cache) != 0 {
			t.Errorf("%d reads of the content, want %d, and %d are kept", reads, want, len(cache))
		}
	}
	// A cache that has an entry without a version must not use it.
	cache[string(channel.Key())] = storage.Kept[string]{Channel: channel, Value: "kept"}
	shown, err := w.page(w.store, cache, channel.Ref().Address(), &reads)
	if w.ok(err); shown == "kept" {
		t.Error("a page without a version was shown again")
	}
}
