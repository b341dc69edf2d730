package storage_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
)

// A list is one that users read page by page with a cursor.
type list struct {
	// name is what the checksum of its cursors covers.
	name string
	read func(ctx context.Context, after string, limit int) (items []string, next string, err error)
	// whole is the list in one page. next is the cursor after its first item.
	whole []string
	next  string
}

// FuzzCursor sends any text as a cursor. It must be refused, or be answered with the
// list's own items in their order. A cursor of another list, or one that was changed,
// must be refused. No backend may be asked for a key that Azure would refuse.
func FuzzCursor(f *testing.F) {
	db := mem.Open(mem.Snapshot{}, "cursors")
	bounds := &boundsGuard{f}
	store := storage.New(db, storage.Options{Around: []driver.Around{bounds.around}})
	lists := listsToPage(f, store)
	for i := range lists {
		for _, text := range []string{"", "x", "\n", "a\n", "\x00", "engines", "blog!", "rate!9999999998!", "~00ff\xff", strings.Repeat("k", 600)} {
			f.Add(uint8(i), uint8(i), uint8(1), uint8(len(text)), text)
		}
		f.Add(uint8(i), uint8(i+1), uint8(2), uint8(9), "z")
	}
	f.Fuzz(func(t *testing.T, which, other, limit, cut uint8, text string) {
		bounds.t = t
		l, foreign, size := lists[int(which)%len(lists)], lists[int(other)%len(lists)], 1+int(limit)%4
		l.try(t, text, size, text == "" || text == recoded(l.name, text))
		l.try(t, driver.Cursor(l.name, text), size, true)
		l.try(t, driver.Cursor(foreign.name, text), size, foreign.name == l.name)
		at := int(cut) % len(l.next)
		l.try(t, l.next[:at]+text+l.next[at:], size, text == "")
		lists[0].filter(t, store, text)
	})
}

// cursorDay is the day of the digest.
var cursorDay = domain.Day{
	Date: "2026-03-04", Zone: "UTC",
	From:  time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
	Until: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC),
}

// TestLists lets each call of each list fail: the list fails with it, and shows no part.
func TestLists(t *testing.T) {
	fails, calls := 0, 0
	db := mem.Open(mem.Snapshot{}, "lists")
	store := storage.New(db, storage.Options{Flight: 1, Around: []driver.Around{func(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
		if calls++; calls == fails {
			return domain.ErrUnavailable
		}
		return next(ctx)
	}}})
	for _, l := range listsToPage(t, store) {
		for fails = 1; ; fails++ {
			calls = 0
			items, _, err := l.read(t.Context(), "", 3)
			if calls < fails {
				break
			}
			if !errors.Is(err, domain.ErrUnavailable) || len(items) != 0 {
				t.Errorf("%s without call %d: %q, %v", l.name, fails, items, err)
			}
		}
		fails = 0
	}
}

// try reads a page after some text. The text must be refused unless it may be a
// cursor of the list.
func (l list) try(t *testing.T, after string, limit int, mayContinue bool) {
	t.Helper()
	items, next, err := l.read(t.Context(), after, limit)
	var invalid *domain.InvalidError
	switch {
	case errors.As(err, &invalid) && len(invalid.Fields) == 1 && invalid.Fields[0].Field == "after":
		return
	case err != nil:
		t.Fatalf("%s after %q: %v", l.name, after, err)
	case !mayContinue:
		t.Fatalf("%s accepts %q as a cursor", l.name, after)
	case len(items) > limit:
		t.Fatalf("%s after %q: %d items, want at most %d", l.name, after, len(items), limit)
	case next != "":
		rest, _, err := l.read(t.Context(), next, 100)
		if err != nil {
			t.Fatalf("%s after %q, which it gave: %v", l.name, next, err)
		}
		items = append(items, rest...)
	}
	if end := len(l.whole) - len(items); end < 0 || !slices.Equal(l.whole[end:], items) {
		t.Fatalf("%s after %q goes on with %q, which does not end %q", l.name, after, items, l.whole)
	}
}

// filter lists the channels whose names contain a text, and compares them with the whole
// list.
func (l list) filter(t *testing.T, store *storage.Parts, text string) {
	t.Helper()
	want := slices.DeleteFunc(slices.Clone(l.whole), func(name string) bool {
		return !strings.Contains(domain.Fold(name), domain.Fold(text))
	})
	if got, next, err := channelList(store, text)(t.Context(), "", 100); err != nil || next != "" || !slices.Equal(got, want) {
		t.Fatalf("%s that contain %q: %q, %q, %v", l.name, text, got, next, err)
	}
}

// recoded returns the cursor of a list with the position of the given one.
func recoded(list, cursor string) string {
	const checksum = 8
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= checksum {
		return ""
	}
	return driver.Cursor(list, string(raw[checksum:]))
}

// listsToPage fills a store and returns all its lists that users read page by page.
// Each has more items than a page, and the store holds items that are not of it.
func listsToPage(t testing.TB, store *storage.Parts) []list {
	t.Helper()
	of, one := fill(t, store).Ref(), int64(1)
	id := string(of.Key)
	lists := []list{
		{name: "channels/", read: channelList(store, "")},
		{name: "channels/engin", read: channelList(store, "engin")},
		{name: "blogs/" + id, read: func(ctx context.Context, after string, limit int) ([]string, string, error) {
			page, err := store.Posts.List(ctx, of, storage.BlogQuery{After: after, Limit: limit})
			return storetest.IDs(page.Items), page.Next, err
		}},
		{name: "ratings/" + id, read: ratingList(store, of, nil)},
		{name: "ratings/" + id + "/1", read: ratingList(store, of, &one)},
		{name: "feed/ada", read: func(ctx context.Context, after string, limit int) (ids []string, next string, err error) {
			page, err := store.Feeds.List(ctx, ada, after, limit)
			for _, item := range page.Items {
				ids = append(ids, string(item.ID))
			}
			return ids, page.Next, err
		}},
		{name: "digest/ada/2026-03-04/UTC", read: func(ctx context.Context, after string, limit int) (ids []string, next string, err error) {
			page, err := store.Feeds.Digest(ctx, ada, cursorDay, after, limit)
			for _, channel := range page.Items {
				ids = append(ids, storetest.IDs(channel.Items)...)
			}
			return ids, page.Next, err
		}},
		{name: "channels of ada", read: func(ctx context.Context, after string, limit int) (names []string, next string, err error) {
			page, err := store.Channels.ListOwned(ctx, ada, after, limit)
			for _, channel := range page.Items {
				names = append(names, string(channel.Name))
			}
			return names, page.Next, err
		}},
		{name: "deletions of ada", read: func(ctx context.Context, after string, limit int) (names []string, next string, err error) {
			page, err := store.Deletions.List(ctx, ada, after, limit)
			for _, d := range page.Items {
				names = append(names, string(d.Name))
			}
			return names, page.Next, err
		}},
		{name: "rows " + id + " ", read: func(ctx context.Context, after string, limit int) (keys []string, next string, err error) {
			rows, err := store.Channels.Rows(ctx, storage.RowsQuery{Key: of.Key, By: ada, After: after, Limit: limit})
			for _, row := range rows.Rows {
				keys = append(keys, row.Row)
			}
			return keys, rows.Next, err
		}},
		{name: "subscriptions/ada", read: func(ctx context.Context, after string, limit int) (keys []string, next string, err error) {
			page, err := store.Subscriptions.List(ctx, ada, after, limit)
			for _, s := range page.Items {
				keys = append(keys, string(s.Channel.Key))
			}
			return keys, page.Next, err
		}},
	}
	for i := range lists {
		var err, nextErr error
		lists[i].whole, _, err = lists[i].read(t.Context(), "", 100)
		_, lists[i].next, nextErr = lists[i].read(t.Context(), "", 1)
		ok(t, errors.Join(err, nextErr))
	}
	return lists
}

// fill creates channels with posts of one vote each, and posts on
// cursorDay, subscribes ada to all of them, asks for some deletions,
// and returns one that is not the first or the last.
func fill(t testing.TB, store *storage.Parts) domain.Channel {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		ok(t, err)
	}
	must(store.Operator.Prepare(ctx))
	var channels []domain.Channel
	for _, name := range []string{"brakes", "engines", "Enginë", "enginf", "wheels"} {
		channel, err := domain.NewChannel(name, domain.About{}, ada)
		must(err)
		channel, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "", 100)
		must(err)
		must(store.Subscriptions.Create(ctx, channel, ada))
		for i := range 3 {
			blog, _, err := store.Posts.Create(ctx, storetest.NewPost(channel, ada, storetest.Text(i)))
			must(err)
			must(store.Posts.Vote(ctx, channel.Ref(), blog.ID, grace))
			p := storetest.NewPost(channel, ada, "on "+storetest.Text(i))
			p.CreatedOn = cursorDay.From.Add(time.Duration(i) * time.Hour)
			blog, _, err = store.Posts.Create(ctx, p)
			must(err)
			for _, user := range []domain.UserName{grace, eve}[:i] {
				must(store.Posts.Vote(ctx, channel.Ref(), blog.ID, user))
			}
		}
		channels = append(channels, channel)
	}
	for _, name := range []string{"gone1", "gone2", "gone3"} {
		channel, err := domain.NewChannel(name, domain.About{}, ada)
		must(err)
		_, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
		must(err)
		_, err = store.Deletions.Request(ctx, channel.Key(), domain.By(ada), storetest.AnyIncarnation)
		must(err)
	}
	return channels[1]
}

func channelList(store *storage.Parts, text string) func(context.Context, string, int) ([]string, string, error) {
	return func(ctx context.Context, after string, limit int) (names []string, next string, err error) {
		page, err := store.Channels.List(ctx, text, after, limit)
		for _, channel := range page.Items {
			names = append(names, string(channel.Name))
		}
		return names, page.Next, err
	}
}

func ratingList(store *storage.Parts, of domain.ChannelRef, rating *int64) func(context.Context, string, int) ([]string, string, error) {
	return func(ctx context.Context, after string, limit int) ([]string, string, error) {
		page, err := store.Posts.ListByRating(ctx, of, storage.RatingQuery{Rating: rating, After: after, Limit: limit})
		return storetest.IDs(page.Items), page.Next, err
	}
}

// longestBound is the length of the longest bound: the successor of a post's row key
// with a forged position of 512 bytes.
const longestBound = 512 + len("blog!") + len(" ")

// A boundsGuard reports a query with a bound that is no possible key. Azure may refuse
// such a filter, and the user would get a 503 for a bad cursor.
type boundsGuard struct{ t testing.TB }

func (g *boundsGuard) around(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	for _, bound := range []string{c.From, c.To} {
		if len(bound) > longestBound || strings.ContainsFunc(bound, func(r rune) bool { return r < ' ' || r > '~' }) {
			g.t.Errorf("a backend is asked for rows of %s from or to %q", c.Target, bound)
		}
	}
	return next(ctx)
}
