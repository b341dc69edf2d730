package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// dated makes a post of this text with this date.
func (w *world) dated(to domain.Channel, on time.Time, text string) domain.Blog {
	w.t.Helper()
	p := posting(to, grace, text)
	p.CreatedOn = on
	blog, _, err := w.store.Posts.Create(w.t.Context(), p)
	w.ok(err)
	return blog
}

// listed reads all pages of a list of posts. It calls meanwhile between two pages.
func (w *world) listed(ref domain.ChannelRef, q storage.BlogQuery, meanwhile func()) []domain.Blog {
	w.t.Helper()
	var blogs []domain.Blog
	for {
		page, err := w.store.Posts.List(w.t.Context(), ref, q)
		w.ok(err)
		if len(page.Items) > q.Limit || len(page.Items) < q.Limit && page.Next != "" {
			w.t.Fatalf("a page of %d has %d items and the continuation %q", q.Limit, len(page.Items), page.Next)
		}
		blogs = append(blogs, page.Items...)
		if q.After = page.Next; q.After == "" {
			return blogs
		}
		meanwhile()
	}
}

func TestBlogList(t *testing.T) {
	t.Run("any bound of a time range is accepted", bubble(anyTimeBoundIsAccepted))
	t.Run("list is exact, the newest post first, while posts come and go", postListIsExactWhileChanging)
	t.Run("list never mixes two incarnations", bubble(postListNeverMixesIncarnations))
	t.Run("short and empty pages of the store hide nothing", bubble(postsBehindShortPages))
}

// Bounds come from URLs, so that they can be of any year that RFC 3339 can write.
func anyTimeBoundIsAccepted(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "one")
	before := []time.Time{{}, time.Unix(-1<<36, 0), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC)}
	after := []time.Time{time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -23*3600))}
	for _, early := range before {
		for _, late := range after {
			for want, q := range map[int]storage.BlogQuery{1: {Since: early, Until: late, Limit: 9}, 0: {Since: late, Until: early, Limit: 9}} {
				if got := w.listed(channel.Ref(), q, nothing); len(got) != want {
					t.Errorf("since %s until %s: %d posts, want %d", q.Since, q.Until, len(got), want)
				}
			}
		}
	}
}

// A reader may hold the channel of one incarnation and then list the posts. They see
// no post of the next incarnation.
func postListNeverMixesIncarnations(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	old := w.post(channel, grace, "old")
	w.delete(channel)
	again := w.create("garden", ada)
	recent := w.post(again, grace, "new")
	if got := w.texts(channel.Ref()); len(got) != 0 {
		t.Errorf("the former incarnation lists %q", got)
	}
	for _, wrong := range []struct {
		ref domain.ChannelRef
		id  domain.BlogID
	}{{channel.Ref(), old.ID}, {channel.Ref(), recent.ID}, {again.Ref(), old.ID}} {
		if blog, err := w.store.Posts.Get(t.Context(), wrong.ref, wrong.id); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("read %+v, %v", blog, err)
		}
	}
}

// mustBeExact reads a list in pages while it changes. What is there all the time is listed
// once, in order, and nothing is listed that never was. Change adds or removes an item; there
// are the present ones.
func mustBeExact(rt *rapid.T, change func(), there func() []string, read func(limit int, meanwhile func()) []string) {
	ever := map[string]bool{}
	step := func() {
		change()
		for _, item := range there() {
			ever[item] = true
		}
	}
	for range rapid.IntRange(0, 15).Draw(rt, "at first") {
		step()
	}
	stayed := slices.Clone(there())
	got := read(rapid.IntRange(1, 6).Draw(rt, "limit"), func() {
		for range rapid.IntRange(0, 3).Draw(rt, "meanwhile") {
			step()
			stayed = slices.DeleteFunc(stayed, func(item string) bool { return !slices.Contains(there(), item) })
		}
	})
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		rt.Errorf("listed %q", got)
	}
	for _, item := range got {
		if !ever[item] {
			rt.Errorf("%s is listed and never was", item)
		}
	}
	for _, item := range stayed {
		if !slices.Contains(got, item) {
			rt.Errorf("%s was there all the time and is not in %q", item, got)
		}
	}
}

func postListIsExactWhileChanging(t *testing.T) {
	w := newWorld(t)
	round := 0
	base := time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		round++
		channel := w.create(fmt.Sprintf("round%d", round), ada)
		var there []domain.Blog
		posted := 0
		mustBeExact(rt, func() {
			if len(there) > 0 && rapid.Bool().Draw(rt, "delete") {
				i := rapid.IntRange(0, len(there)-1).Draw(rt, "which")
				w.ok(w.store.Posts.Delete(t.Context(), channel, there[i].ID, ada, anyRevision))
				there = slices.Delete(there, i, i+1)
				return
			}
			posted++
			age := rapid.IntRange(0, 9).Draw(rt, "age")
			there = append(there, w.dated(channel, base.Add(-time.Duration(age)*domain.Tick), text(posted)))
		}, func() []string { return idsOf(there) }, func(limit int, meanwhile func()) []string {
			return idsOf(w.listed(channel.Ref(), storage.BlogQuery{Limit: limit}, meanwhile))
		})
	})
}

func postsBehindShortPages(t *testing.T, w *world) {
	w.store = storage.New(w.db, storage.Options{Around: []driver.Around{haltingPages}})
	garden := w.create("garden", ada)
	base := time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC)
	var newestFirst []string
	for i := range 5 {
		w.dated(garden, base.Add(time.Duration(i)*time.Second), text(i))
		newestFirst = append(newestFirst, text(4-i))
	}
	for limit := 1; limit < 7; limit++ {
		var got []string
		for _, blog := range w.listed(garden.Ref(), storage.BlogQuery{Limit: limit}, nothing) {
			got = append(got, blog.Text)
		}
		if !slices.Equal(got, newestFirst) {
			t.Errorf("posts by %d: %q", limit, got)
		}
	}
}
