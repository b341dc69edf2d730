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
)

func TestChannelVersion(t *testing.T) {
	t.Run("each change of a page changes the version", everyChangeChangesVersion)
	t.Run("what changes no page keeps the version", bubble(idleChannelKeepsVersion))
	t.Run("with the right hint it reads two rows", bubble(hintedVersionReadsTwoRows))
	t.Run("a wrong hint costs a read and nothing else", bubble(wrongHintCostsOneRead))
	t.Run("the errors are those of the channel", bubble(versionFailsAsChannelDoes))
	t.Run("a channel without its open gate has none", bubble(ungatedChannelHasNoVersion))
}

func TestReadCached(t *testing.T) {
	t.Run("what is kept is read once", bubble(keptIsReadOnce))
	t.Run("each change is seen from another process", changeIsSeenElsewhere)
	t.Run("a deletion ends what is kept", deletionEndsWhatIsKept)
	t.Run("nothing without a version is kept", bubble(nothingUnversionedIsKept))
	t.Run("what could not be read is not kept", failedReadIsNotKept)
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
		t.Run(change.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				channel, blog := w.stage()
				at := domain.ChannelAddress{Key: channel.Key(), Expected: domain.Any[domain.Incarnation]()}
				before := w.version(at, channel.Incarnation)
				w.ok(change.make(w, channel, blog))
				if after := w.version(at, channel.Incarnation); after == before || after == "" {
					t.Errorf("version %q became %q", before, after)
				}
			})
		})
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

func hintedVersionReadsTwoRows(t *testing.T, w *world) {
	channel, _ := w.stage()
	w.arm(drivertest.Pass)
	for hint, want := range map[domain.Incarnation]int64{channel.Incarnation: 2, "": 2} {
		w.calls.Store(0)
		if _, version, err := w.faulty.ChannelVersion(t.Context(), channel.Ref().Address(), hint); err != nil || version == "" {
			t.Errorf("with hint %q: %q, %v", hint, version, err)
		}
		if n := w.calls.Load(); n != want {
			t.Errorf("with hint %q it made %d calls, want %d", hint, n, want)
		}
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
	kept, err := storage.ReadCached(w.t.Context(), s, cache, at, string(at.Key),
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

func changeIsSeenElsewhere(t *testing.T) {
	for _, change := range changes() {
		inBubble(t, func(t *testing.T, w *world) {
			channel, blog := w.stage()
			here, there := shelf{}, shelf{}
			reads := 0
			for range 2 {
				for _, cache := range []shelf{here, there} {
					_, err := w.page(w.store, cache, channel.Ref().Address(), &reads)
					w.ok(err)
				}
			}
			w.ok(change.make(w, channel, blog))
			fresh, err := w.page(w.through(drivertest.Pass), shelf{}, channel.Ref().Address(), &reads)
			w.ok(err)
			for _, cache := range []shelf{here, there} {
				if shown, err := w.page(w.store, cache, channel.Ref().Address(), &reads); err != nil || shown != fresh {
					t.Errorf("after a %s: %q, %v, want %q", change.name, shown, err, fresh)
				}
			}
		})
	}
}

func deletionEndsWhatIsKept(t *testing.T) {
	for steps := 1; steps <= stages-1; steps++ {
		inBubble(t, func(t *testing.T, w *world) {
			channel, _ := w.stage()
			at := domain.ChannelAddress{Key: channel.Key(), Expected: domain.Any[domain.Incarnation]()}
			cache, reads := shelf{}, 0
			_, err := w.page(w.store, cache, at, &reads)
			w.ok(err)
			w.advance(channel, steps)
			shown, err := w.page(w.store, cache, at, &reads)
			switch {
			case steps < 5 && errors.Is(err, domain.ErrGone), steps == 5 && errors.Is(err, domain.ErrNotFound):
			case steps > 5 && err == nil && strings.Contains(shown, "of the next incarnation") && !strings.Contains(shown, "grace"):
			default:
				t.Errorf("after %d steps of the deletion: %q, %v", steps, shown, err)
			}
		})
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

func failedReadIsNotKept(t *testing.T) {
	eachFault(t, func(w *world) {
		channel, _ := w.stage()
		cache, reads := shelf{}, 0
		want, err := w.page(w.store, shelf{}, channel.Ref().Address(), &reads)
		w.ok(err)
		if shown, err := w.page(w.faulty, cache, channel.Ref().Address(), &reads); err == nil && shown != want || err != nil && len(cache) > 0 {
			w.t.Errorf("%q, %v, want %q; %d kept", shown, err, want, len(cache))
		}
	})
}
