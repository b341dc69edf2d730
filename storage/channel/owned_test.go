package channel_test

import (
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

func TestChannelsOf(t *testing.T) {
	t.Run("has each channel, page by page", bubble(ownedChannelsComePageByPage))
	t.Run("leaves out what is gone or belongs to another user", bubble(ownedChannelsAreOnesOwn))
}

// uncounted creates a channel as an import does.
func (w *world) uncounted(name string, owner domain.UserName) domain.Channel {
	w.T.Helper()
	channel := w.NewChannel(name, owner)
	w.OK(w.Store.Operator.ListChannel(w.T.Context(), channel))
	w.OK(w.Store.Operator.ListChannel(w.T.Context(), channel)) // once more changes nothing
	channel, _, err := w.Store.Channels.Create(w.T.Context(), channel, domain.PostersOpen, "", 0)
	w.OK(err)
	return channel
}

// owns returns the names of the channels of an owner, read in pages.
func (w *world) owns(owner domain.UserName, limit int) (names []string, n int) {
	w.T.Helper()
	pages := storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[domain.Channel], error) {
		return w.Store.Channels.ListOwned(w.T.Context(), owner, after, limit)
	})
	for _, channel := range slices.Concat(pages...) {
		names = append(names, string(channel.Name))
	}
	return names, len(pages)
}

func ownedChannelsComePageByPage(t *testing.T, w *world) {
	for _, name := range []string{"b", "b-c", "B.d", "ä", "zz"} {
		w.OK(w.within(10, name))
	}
	for _, name := range []string{"a", "b_e", "c", "zz.z"} {
		w.uncounted(name, ada)
	}
	w.uncounted("grace", grace)
	want := []string{"a", "b", "b-c", "B.d", "b_e", "c", "zz", "zz.z", "ä"}
	for limit := 1; limit <= 10; limit++ {
		if got, pages := w.owns(ada, limit); !slices.Equal(got, want) || pages != (len(want)+limit-1)/limit {
			t.Errorf("in pages of %d: %q, on %d pages", limit, got, pages)
		}
	}
	if got, _ := w.owns(eve, 10); got != nil {
		t.Errorf("eve owns %q", got)
	}
	w.MustBeSound()
}

func ownedChannelsAreOnesOwn(t *testing.T, w *world) {
	w.OK(w.within(10, "a"))
	gone, marked := w.uncounted("b", ada), w.uncounted("c", ada)
	w.uncounted("d", ada)
	w.Delete(gone)
	w.Ask(marked)
	if got, _ := w.owns(ada, 10); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("ada owns %q", got)
	}
	w.uncounted("b", grace)
	if got, _ := w.owns(ada, 1); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("ada owns %q", got)
	}
	if got, _ := w.owns(grace, 10); !slices.Equal(got, []string{"b"}) {
		t.Errorf("grace owns %q", got)
	}
}
