package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// An unreadable row is one that no operation writes and that leads nowhere: a hand, or
// another program, put it there.
type unreadable struct {
	table, partition, row string
	properties            []driver.Property
}

// unreadables are such rows beside a channel "garden" of ada, who has another, "harbour".
func unreadables(of domain.Incarnation) map[string]unreadable {
	own := driver.String("Incarnation", of)
	return map[string]unreadable{
		"subscriber without a name":        {"Blogs", "garden", "sub!", []driver.Property{own}},
		"subscriber of no possible name":   {"Blogs", "garden", "sub!Ada Lovelace", []driver.Property{own}},
		"joiner without a name":            {"Blogs", "garden", "join!", []driver.Property{own}},
		"subscription to nothing":          {"Subscriptions", "ada", "!", nil},
		"finished subscription to nothing": {"Subscriptions", "ada", "!x", []driver.Property{driver.String("State", "joined")}},
		"channel without a name":           {"Channels", "meadow", "", []driver.Property{driver.String("Owner", ada), driver.String("State", "active"), driver.String("Incarnation", domain.NewIncarnation())}},
		"channel without an incarnation":   {"Channels", "meadow", "", []driver.Property{driver.String("Name", "Meadow"), driver.String("Owner", ada), driver.String("State", "active")}},
		"channel in an unknown state":      {"Channels", "meadow", "", []driver.Property{driver.String("Name", "Meadow"), driver.String("Owner", ada), driver.String("Incarnation", domain.NewIncarnation())}},
		"message that was not quoted":      {"Deletions", "unread!", "x", []driver.Property{driver.String("State", "poisoned"), driver.String("Text0", `"`)}},
		"open deletion of nothing":         {"Deletions", "open!0", "!x", nil},
	}
}

func TestUnreadableRow(t *testing.T) {
	t.Run("is a breach, and the check goes on", unreadableIsBreach)
	t.Run("keeps no page from its readers", unreadableKeepsNoPage)
	t.Run("does not stop the deletion of its channel", unreadableIsSwept)
	t.Run("of a key that no operation makes is a breach that stays", unusableKeyIsBreach)
	t.Run("of a channel costs none of the channel's rows", unreadableChannelKeepsRows)
	t.Run("of a channel without its own name is deleted with all that is behind it", misnamedChannelIsDeleted)
}

// eachUnreadable plants each unreadable row into a store of its own.
func eachUnreadable(t *testing.T, test func(t *testing.T, w *world, garden domain.Channel, row unreadable)) {
	t.Helper()
	for name := range unreadables("") {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			garden := w.create("garden", ada)
			w.post(garden, grace, "one")
			w.post(w.create("harbour", ada), grace, "one")
			row := unreadables(garden.Incarnation)[name]
			w.ok(w.table(row.table).Transact(t.Context(), row.partition, driver.Insert(row.row, row.properties...)))
			test(t, w, garden, row)
		}))
	}
}

func unreadableIsBreach(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, garden domain.Channel, row unreadable) {
		want := []string{"readable " + row.table + " " + row.partition + " " + row.row}
		_, whole := w.run(false)
		for _, repair := range []bool{false, true} {
			breaches, counts := w.run(repair)
			breaches = slices.DeleteFunc(breaches, func(b domain.Breach) bool { return b.Invariant == "I9" }) // the planted channels have no gate
			if got := places(breaches); !slices.Equal(got, want) || counts.Blogs != 2 || counts.Rows < whole.Rows {
				t.Errorf("repair %v: found %q and read %+v, want %q", repair, got, counts, want)
			}
		}
		breaches, _ := w.run(true)
		for _, b := range breaches {
			if !strings.HasPrefix(b.Repaired, "left: ") {
				t.Errorf("a second repair did %+v", b)
			}
		}
		if texts := w.texts(garden.Ref()); len(texts) != 1 {
			t.Errorf("the garden has the posts %q", texts)
		}
	})
}

func unreadableKeepsNoPage(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, garden domain.Channel, _ unreadable) {
		pages := map[string]func(ctx context.Context) (items int, err error){
			"the feed": func(ctx context.Context) (int, error) {
				page, err := w.store.Feed(ctx, ada, "", 20)
				return len(page.Items), err
			},
			"the subscriptions": func(ctx context.Context) (int, error) {
				list, err := w.store.Subscriptions(ctx, ada)
				return len(list), err
			},
			"the subscriptions by page": func(ctx context.Context) (n int, err error) {
				for after := "-"; after != ""; {
					var page storage.SubscriptionPage
					if after == "-" {
						after = ""
					}
					if page, err = w.store.SubscriptionPage(ctx, ada, after, 1); err != nil {
						break
					}
					n, after = n+len(page.Items), page.Next
				}
				return n, err
			},
			"the news": func(ctx context.Context) (int, error) {
				n, _, err := w.store.FeedNews(ctx, ada, "", "")
				return n, err
			},
			"the digest": func(ctx context.Context) (int, error) {
				day, err := domain.ParseDay(domain.Now().Format("2006-01-02"), "UTC", time.Now())
				w.ok(err)
				digest, err := w.store.Digest(ctx, ada, storage.DigestQuery{Day: day, Limit: 20})
				return len(digest.Channels), err
			},
			"the directory": func(ctx context.Context) (int, error) {
				page, err := w.store.Channels(ctx, "", "", 20)
				for _, c := range page.Items {
					if c.Name.Key() == "" {
						t.Error("a channel on the list has no name")
					}
				}
				return min(len(page.Items), 2), err
			},
		}
		for name, read := range pages {
			if n, err := read(t.Context()); err != nil || n != 2 {
				t.Errorf("%s: %d items, %v", name, n, err)
			}
		}
		if channel, err := w.store.Channel(t.Context(), "meadow"); err == nil && channel.Key() != "meadow" {
			t.Errorf("the channel of the key meadow is read as %q", channel.Key())
		}
	})
}

func unreadableIsSwept(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, garden domain.Channel, row unreadable) {
		w.ask(garden)
		w.carryOut(w.messages())
		for _, left := range w.rows("Blogs") {
			if left.Partition == "garden" {
				t.Errorf("the deletion left %q", left.Row)
			}
		}
		if _, err := w.store.Channel(t.Context(), "garden"); err == nil {
			t.Error("the channel is still there")
		}
		if row.partition != "meadow" {
			return
		}
		if meadow, err := w.store.Channel(t.Context(), "meadow"); err == nil && meadow.Incarnation != "" {
			w.ask(meadow)
			w.carryOut(w.messages())
			if _, err := w.store.Channel(t.Context(), "meadow"); err == nil {
				t.Error("the channel whose name cannot be read is still there")
			}
		}
	})
}

// A channel's row lost one of its properties, or has another's.
func unreadableChannelKeepsRows(t *testing.T) {
	for name, other := range map[string]driver.Property{
		"no name": driver.String("Name", ""), "no incarnation": driver.String("Incarnation", ""), "no state": driver.String("State", ""),
		"another name": driver.String("Name", "Meadow"), "another incarnation": driver.String("Incarnation", "x"), "another state": driver.String("State", "asleep"),
	} {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			w.post(w.create("garden", ada), grace, "one")
			before := w.rows("Blogs")
			w.ok(w.table("Channels").Transact(t.Context(), "garden", driver.Merge("", driver.Exists, other)))
			for range 2 {
				if breaches, _ := w.run(true); len(breaches) != 1 || breaches[0].Invariant != "readable" {
					t.Errorf("repaired %+v", breaches)
				}
			}
			if after := w.rows("Blogs"); len(after) != len(before) || len(w.rows("Channels")) != 1 {
				t.Errorf("%d rows became %d", len(before), len(after))
			}
		}))
	}
}

// Another program can write keys that ours cannot even send.
func unusableKeyIsBreach(t *testing.T) {
	for _, at := range [][3]string{
		{"Blogs", "garden", "sub!\x1b[2J"}, {"Blogs", "garden", "vote!\xff!x"}, {"Blogs", "garden", "~\x00"}, {"Blogs", "o'hara", "blog!x"},
		{"Channels", "o'hara", ""}, {"Channels", "garden", "x"}, {"Subscriptions", "ada", "garden!\xe9"}, {"Subscriptions", "a'da", "garden!x"}, {"Deletions", "o'hara", "x"},
	} {
		t.Run(fmt.Sprintf("%q", at), bubble(func(t *testing.T, w *world) {
			garden := w.create("garden", ada)
			blog := w.post(garden, grace, "one")
			w.remove("garden", rateRow(0, blog.ID)) // so that every row is looked at
			row := driver.Insert(at[2], driver.String("Incarnation", garden.Incarnation), driver.String("State", "joined"))
			w.ok(w.db.Do(t.Context(), &driver.Call{ // Table lets no such key pass
				Method: driver.CallTransact, Target: at[0], Partition: at[1], Operations: []driver.Operation{row},
			}))
			want := []string{found("I8", "Blogs", "garden", "blog!"+string(blog.ID))[0], strings.Join(append([]string{"readable"}, at[:]...), " ")}
			for _, repair := range []bool{false, true, true} {
				breaches, _ := w.run(repair)
				if got := places(breaches); !slices.Equal(got, want) {
					t.Errorf("repair %v: found %q, want %q", repair, got, want)
				}
				if repair {
					want = want[len(want)-1:] // the index is repaired
					for _, b := range breaches {
						if b.Invariant == "readable" && !strings.HasPrefix(b.Repaired, "left: ") {
							t.Errorf("repaired %+v", b)
						}
					}
				}
			}
			if _, err := w.store.Subscriptions(t.Context(), ada); err != nil {
				t.Error(err)
			}
		}))
	}
}

func misnamedChannelIsDeleted(t *testing.T) {
	for _, now := range []string{"", "Meadow"} {
		for _, name := range []domain.ChannelName{"garden", "grün", "Страсть.7"} {
			t.Run(string(name)+" named "+now, bubble(func(t *testing.T, w *world) {
				channel := w.create(string(name), ada)
				w.post(channel, grace, "one")
				w.ok(w.table("Channels").Transact(t.Context(), string(name.Key()), driver.Merge("", driver.Exists, driver.String("Name", now))))
				read, err := w.store.Channel(t.Context(), name.Key())
				if err != nil || read.Key() != name.Key() {
					t.Errorf("read as %q: %v", read.Name, err)
				}
				_, err = w.store.AskDeletion(t.Context(), name.Key(), ada, anyIncarnation)
				w.ok(err)
				w.carryOut(w.messages())
				if rows := w.rows("Blogs"); len(rows) > 0 {
					t.Errorf("left behind: %v", rows)
				}
			}))
		}
	}
}
