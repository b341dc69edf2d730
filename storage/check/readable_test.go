package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
)

// An unreadable row is one that no operation writes and that leads nowhere: a hand, or
// another program, put it there.
type unreadable struct {
	table, partition, row string
	properties            []driver.Property
	// foreign reports a key that MicroBlogging cannot even send, so that no repair removes the row, and
	// no sweep.
	foreign bool
}

// unreadables are such rows next to a channel "garden" of ada, who has another, "harbour".
func unreadables(of domain.Incarnation) map[string]unreadable {
	own, joined := driver.String("Incarnation", of), driver.String("State", "joined")
	list := map[string]unreadable{
		"subscriber without a name":        {"Blogs", "garden", "sub!", []driver.Property{own}, false},
		"subscriber of no possible name":   {"Blogs", "garden", "sub!Ada Lovelace", []driver.Property{own}, false},
		"subscriber in capital letters":    {"Blogs", "garden", "sub!Grace", []driver.Property{own}, false},
		"joiner without a name":            {"Blogs", "garden", "join!", []driver.Property{own}, false},
		"subscription to nothing":          {"Subscriptions", "ada", "!", nil, false},
		"finished subscription to nothing": {"Subscriptions", "ada", "!x", []driver.Property{joined}, false},
		"channel without a name":           {"Channels", "meadow", "", []driver.Property{driver.String("Owner", ada), driver.String("State", "active"), driver.String("Incarnation", domain.NewIncarnation())}, false},
		"channel without an incarnation":   {"Channels", "meadow", "", []driver.Property{driver.String("Name", "Meadow"), driver.String("Owner", ada), driver.String("State", "active")}, false},
		"channel in an unknown state":      {"Channels", "meadow", "", []driver.Property{driver.String("Name", "Meadow"), driver.String("Owner", ada), driver.String("Incarnation", domain.NewIncarnation())}, false},
		"account that no request deletes":  {"Users", "norman", "", []driver.Property{driver.String("State", "pending")}, false},
		"message that was not quoted":      {"Deletions", "poison!", "x", []driver.Property{driver.String("Text0", `"`)}, false},
		"open deletion of nothing":         {"Deletions", "open!0", "!x", nil, false},
	}
	for _, at := range [][3]string{
		{"Blogs", "garden", "sub!\x1b[2J"}, {"Blogs", "garden", "vote!\xff!x"}, {"Blogs", "garden", "~\x00"}, {"Blogs", "o'hara", "blog!x"},
		{"Channels", "o'hara", ""}, {"Channels", "garden", "x"}, {"Subscriptions", "ada", "garden!\xe9"}, {"Subscriptions", "a'da", "garden!x"}, {"Deletions", "o'hara", "x"},
	} {
		list[fmt.Sprintf("%q", at)] = unreadable{at[0], at[1], at[2], []driver.Property{own, joined}, true}
	}
	return list
}

func TestUnreadableRow(t *testing.T) {
	t.Run("is a violation that stays, and the check goes on", unreadableIsViolation)
	t.Run("keeps no page from its readers", unreadableKeepsNoPage)
	t.Run("does not stop the deletion of its channel", unreadableIsSwept)
	t.Run("of a channel costs none of the channel's rows", unreadableChannelKeepsRows)
	t.Run("of a channel without its own name is deleted with all that is behind it", misnamedChannelIsDeleted)
}

// eachUnreadable plants each unreadable row into a store of its own.
func eachUnreadable(t *testing.T, test func(t *testing.T, w *world, garden domain.Channel, row unreadable)) {
	t.Helper()
	for name := range unreadables("") {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			garden := w.Create("garden", ada)
			w.Post(garden, grace, "one")
			w.Post(w.Create("harbour", ada), grace, "one")
			row := unreadables(garden.Incarnation)[name]
			w.WriteForeign(row.table, row.partition, driver.Insert(row.row, row.properties...))
			test(t, w, garden, row)
		}))
	}
}

// The index of a post is broken, so that each row is looked at. A repair mends that alone.
func unreadableIsViolation(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, garden domain.Channel, row unreadable) {
		blogs, err := w.Store.Posts.List(t.Context(), garden.Ref(), storage.BlogQuery{Limit: 9})
		w.OK(err)
		w.remove("garden", rateRow(0, blogs.Items[0].ID))
		unread := "readable " + row.table + " " + row.partition + " " + row.row
		want := []string{found("I8", "Blogs", "garden", "blog!"+string(blogs.Items[0].ID))[0], unread}
		for repairs := range 3 {
			violations, counts := w.Check(repairs > 0)
			violations = slices.DeleteFunc(violations, func(b domain.Violation) bool { return b.Invariant == "I9" }) // the planted channels have no gate
			repaired := !slices.ContainsFunc(violations, func(b domain.Violation) bool {
				return b.Invariant == "readable" && strings.HasPrefix(b.Repaired, "left: ")
			})
			if repairs == 2 {
				if want = nil; !repaired {
					want = []string{unread}
				}
			}
			if got := places(violations); !slices.Equal(got, want) || counts.Blogs < 2 {
				t.Errorf("after %d repairs: found %q and read %+v, want %q", repairs, got, counts, want)
			}
			if keep := row.foreign || row.table == "Users" || row.table == "Channels"; keep && repairs > 0 && repaired {
				t.Errorf("repaired %+v", violations)
			}
		}
		if texts := w.Texts(garden.Ref()); len(texts) != 1 {
			t.Errorf("the garden has the posts %q", texts)
		}
	})
}

func unreadableKeepsNoPage(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, _ domain.Channel, _ unreadable) {
		ctx := t.Context()
		wantTwo := func(page string, n int, err error) {
			t.Helper()
			if err != nil || n != 2 {
				t.Errorf("%s: %d items, %v", page, n, err)
			}
		}
		feed, err := w.Store.Feeds.List(ctx, ada, "", 20)
		wantTwo("the feed", len(feed.Items), err)
		all, err := w.Store.Subscriptions.ListAll(ctx, ada)
		wantTwo("the subscriptions", len(all), err)
		first, err := w.Store.Subscriptions.List(ctx, ada, "", 1)
		w.OK(err)
		second, err := w.Store.Subscriptions.List(ctx, ada, first.Next, 9)
		wantTwo("the subscriptions by page", len(first.Items)+len(second.Items), err)
		digest, err := w.Store.Feeds.Digest(ctx, ada, domain.Day{From: domain.Now().Add(-time.Hour), Until: domain.Now().Add(time.Hour)}, "", 20)
		wantTwo("the digest", len(digest.Items), err)
		directory, err := w.Store.Channels.List(ctx, "", "", 20)
		wantTwo("the directory", min(len(directory.Items), 2), err)
		for _, c := range directory.Items {
			if c.Name.Key() == "" {
				t.Error("a channel on the list has no name")
			}
		}
		if channel, err := w.Store.Channels.Get(ctx, domain.ChannelKey("meadow").Address()); err == nil && channel.Key() != "meadow" {
			t.Errorf("the channel of the key meadow is read as %q", channel.Key())
		}
	})
}

func unreadableIsSwept(t *testing.T) {
	eachUnreadable(t, func(t *testing.T, w *world, garden domain.Channel, row unreadable) {
		if row.foreign {
			return
		}
		w.Ask(garden)
		w.CarryOut(w.Messages())
		for _, left := range w.Rows("Blogs") {
			if left.Partition == "garden" {
				t.Errorf("the deletion left %q", left.Row)
			}
		}
		if _, err := w.Store.Channels.Get(t.Context(), domain.ChannelKey("garden").Address()); err == nil {
			t.Error("the channel is still there")
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
			w.Post(w.Create("garden", ada), grace, "one")
			before := w.Rows("Blogs")
			w.OK(w.Table("Channels").Transact(t.Context(), "garden", driver.Merge("", driver.Exists, other)))
			for range 2 {
				if violations, _ := w.Check(true); len(violations) != 1 || violations[0].Invariant != "readable" {
					t.Errorf("repaired %+v", violations)
				}
			}
			if after := w.Rows("Blogs"); len(after) != len(before) || len(w.Rows("Channels")) != 1 {
				t.Errorf("%d rows became %d", len(before), len(after))
			}
		}))
	}
}

func misnamedChannelIsDeleted(t *testing.T) {
	for _, now := range []string{"", "Meadow"} {
		for _, name := range []domain.ChannelName{"garden", "grün", "Страсть.7"} {
			t.Run(string(name)+" named "+now, bubble(func(t *testing.T, w *world) {
				channel := w.Create(string(name), ada)
				w.Post(channel, grace, "one")
				w.OK(w.Table("Channels").Transact(t.Context(), string(name.Key()), driver.Merge("", driver.Exists, driver.String("Name", now))))
				read, err := w.Store.Channels.Get(t.Context(), name.Key().Address())
				if err != nil || read.Key() != name.Key() {
					t.Errorf("read as %q: %v", read.Name, err)
				}
				_, err = w.Store.Deletions.Request(t.Context(), name.Key(), domain.By(ada), storetest.AnyIncarnation)
				w.OK(err)
				w.CarryOut(w.Messages())
				if rows := w.Rows("Blogs"); len(rows) > 0 {
					t.Errorf("left behind: %v", rows)
				}
			}))
		}
	}
}
