package channel_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// names reads all pages of the list of channels whose names contain a text, and returns
// their names. It calls meanwhile between two pages.
func (w *world) names(text string, limit int, meanwhile func()) (names []string) {
	w.T.Helper()
	for _, channel := range storetest.FullPages(w.World, limit, meanwhile, func(after string) (storage.Page[domain.Channel], error) {
		return w.Store.Channels.List(w.T.Context(), text, after, limit)
	}) {
		names = append(names, string(channel.Name))
	}
	return names
}

func TestChannelList(t *testing.T) {
	t.Run("channels come by name in any spelling", bubble(channelsAreListedByName))
	t.Run("page reads so many rows and no more", bubble(pageOfChannelsReadsSoManyRowsAndNoMore))
	t.Run("list is exact while channels come and go", channelListIsExactWhileChanging)
	t.Run("channel being deleted is hidden", bubble(channelBeingDeletedIsHidden))
}

func channelsAreListedByName(t *testing.T, w *world) {
	for _, name := range []string{"zoo", "Émile", "apple", "Zebra", "éclair", "10", "a.b", "a", "日本", "A-b"} {
		w.Create(name, ada)
	}
	want := []string{"10", "a", "A-b", "a.b", "apple", "Zebra", "zoo", "éclair", "Émile", "日本"}
	for limit := 1; limit <= 11; limit++ {
		if got := w.names("", limit, storetest.Nothing); !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, want %q", limit, got, want)
		}
	}
	for text, want := range map[string][]string{
		"Z": {"Zebra", "zoo"}, "É": {"éclair", "Émile"}, "e\u0301M": {"Émile"}, "-B": {"A-b"}, ".": {"a.b"}, "a.b.": nil, "本": {"日本"},
		"E": {"apple", "Zebra", "Émile"}, "ebr": {"Zebra"}, "0": {"10"}, "x": nil, "~": nil, "~0000e9": nil, "00e": nil, "/": nil, "'": nil,
		"\x00": nil, "\xff": nil,
	} {
		if got := w.names(text, 3, storetest.Nothing); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// With two channels among them, 5,002 rows are read in pages of 5,000, and the gate of the one that is found.
func pageOfChannelsReadsSoManyRowsAndNoMore(t *testing.T, w *world) {
	w.Create("early", ada)
	for i := range 5_000 {
		key := fmt.Sprintf("m%04d", i)
		w.OK(driver.NewTable(w.DB, "Channels").Transact(t.Context(), key,
			driver.Insert("", driver.String("Name", key), driver.String("State", domain.ChannelActive))))
	}
	w.Create("nearly", ada)
	w.Arm(drivertest.Pass)
	first, err := w.Faulty.Channels.List(t.Context(), "Early", "", 20)
	w.OK(err)
	if calls := w.Calls.Load(); len(first.Items) != 1 || first.Next == "" || calls != 6 {
		t.Errorf("after %d calls there is %+v", calls, first)
	}
	last, err := w.Faulty.Channels.List(t.Context(), "EARLY", first.Next, 20)
	w.OK(err)
	if len(last.Items) != 1 || last.Items[0].Name != "nearly" || last.Next != "" {
		t.Errorf("the second page is %+v", last)
	}
}

func channelBeingDeletedIsHidden(t *testing.T, w *world) {
	w.Create("c0", ada)
	w.Ask(w.Create("c1", ada))
	w.Create("c2", ada)
	for limit := 1; limit <= 3; limit++ {
		if got := w.names("", limit, storetest.Nothing); !slices.Equal(got, []string{"c0", "c2"}) {
			t.Errorf("pages of %d: %q", limit, got)
		}
	}
}

func channelListIsExactWhileChanging(t *testing.T) {
	w := newWorld(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		prefix := fmt.Sprintf("round%d.", round)
		there := map[string]domain.Channel{}
		storetest.MustBeExact(rt, func() {
			name := fmt.Sprintf("%s%02d", prefix, rapid.IntRange(0, 19).Draw(rt, "name"))
			if channel, ok := there[name]; ok {
				delete(there, name)
				w.Delete(channel)
			} else {
				there[name] = w.Create(name, ada)
			}
		}, func() []string { return slices.Sorted(maps.Keys(there)) }, func(limit int, meanwhile func()) []string {
			return w.names(prefix, limit, meanwhile)
		})
	})
}
