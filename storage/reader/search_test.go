package reader_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestSearch(t *testing.T) {
	t.Run("pages hold every match once, in the order of their times", bubble(searchHoldsEveryMatch))
	t.Run("nothing is found in a channel whose deletion was accepted", bubble(searchFindsNothingGone))
	t.Run("posts of another incarnation are not found", bubble(searchFindsNoOtherIncarnation))
	t.Run("cursor of another list or text is refused", bubble(searchRefusesOtherCursors))
	t.Run("a request looks at a bounded number of posts, says how far, and the next goes on there", bubble(searchGoesOn))
	t.Run("a slow store gives a shorter page", bubble(searchTakesBoundedTime))
	t.Run("a busy channel among quiet ones takes few reads", bubble(searchReadsInLargeParts))
}

// containing matches posts with a text.
func containing(text string) func(domain.Draft) bool {
	return func(d domain.Draft) bool { return strings.Contains(d.Text, text) }
}

func (w *world) searchPage(text, after string, limit int) storage.SearchPage {
	w.T.Helper()
	found, err := w.Store.Feeds.Search(w.T.Context(), text, containing(text), after, limit)
	w.OK(err)
	return found
}

// search reads all pages of a search.
func (w *world) search(text string, limit int) (ids []domain.BlogID) {
	w.T.Helper()
	var back time.Time
	for _, item := range slices.Concat(storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[storage.FeedItem], error) {
		found := w.searchPage(text, after, limit)
		if !back.IsZero() && found.Back.After(back) || len(found.Items) > 0 && found.Back.After(found.Items[len(found.Items)-1].CreatedOn) {
			w.T.Errorf("searched back to %s after %s", found.Back, back)
		}
		back = found.Back
		return found.ListPage, nil
	})...) {
		ids = append(ids, item.ID)
	}
	return ids
}

func searchHoldsEveryMatch(t *testing.T, w *world) {
	start := time.Now()
	var want []domain.BlogID
	for i := range 45 { // more channels than a span has, and a busy one
		channel, posts := w.Create("c"+storetest.Text(i)[5:], ada), 3
		if i == 0 {
			posts = 90
		}
		list := storetest.NewPosts(channel, posts)
		for j := range list {
			list[j].CreatedOn = start.Add(-time.Duration(i*37+(j*i+j)*11) * time.Minute)
			list[j].Draft.Text = []string{"hay", "needle", "hay"}[j%3]
		}
		for _, post := range w.PostAll(channel, list) {
			if post.Text == "needle" {
				want = append(want, post.ID)
			}
		}
	}
	slices.Sort(want)
	for _, limit := range []int{3, 100} {
		if got := w.search("needle", limit); !slices.Equal(got, want) {
			t.Errorf("by %d: %d posts, want %d, sorted %t", limit, len(got), len(want), slices.IsSorted(got))
		}
	}
	if none := w.search("thread", 10); len(none) > 0 {
		t.Errorf("found %d", len(none))
	}
}

func searchFindsNothingGone(t *testing.T, w *world) {
	kept, gone := w.Create("kept", ada), w.Create("gone", ada)
	w.Post(kept, ada, "a needle that stays")
	w.Post(gone, ada, "a needle that goes")
	wants := func(n int) {
		t.Helper()
		if got := w.search("needle", 10); len(got) != n {
			t.Errorf("found %d, want %d", len(got), n)
		}
	}
	wants(2)
	w.Ask(gone)
	wants(1)
	w.CarryOut(w.Messages())
	wants(1)
	w.MustBeSound()
}

func searchFindsNoOtherIncarnation(t *testing.T, w *world) {
	former := w.Create("garden", ada)
	w.Post(former, ada, "a needle")
	// The channel is replaced after it was verified, and before its posts are read.
	reads := func(call drivertest.Call) bool { return strings.HasPrefix(call.From, schema.Blog.Prefix()) }
	w.Arm(drivertest.Only(reads, storetest.Before(1, func() {
		w.Delete(former)
		w.Post(w.Create("garden", ada), ada, "another needle")
	})))
	found, err := w.Faulty.Feeds.Search(t.Context(), "needle", containing("needle"), "", 10)
	w.OK(err)
	if len(found.Items) > 0 {
		t.Errorf("found %+v", found.Items)
	}
	if got := w.searchPage("needle", "", 10); len(got.Items) != 1 || got.Items[0].Text != "another needle" || got.Items[0].Name != "garden" {
		t.Errorf("found %+v", got.Items)
	}
}

func searchRefusesOtherCursors(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for i := range 3 {
		w.Post(channel, ada, storetest.Text(i))
	}
	active, err := w.Store.Feeds.Active(t.Context(), "", nil)
	w.OK(err)
	latest, err := w.Store.Feeds.Latest(t.Context(), active, 1)
	w.OK(err)
	for _, after := range []string{latest.Next, w.searchPage("", "", 1).Next} {
		_, err := w.Store.Feeds.Search(t.Context(), "other", containing("other"), after, 10)
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("after %q: %v", after, err)
		}
	}
}

func searchGoesOn(t *testing.T, w *world) {
	start := time.Now().Truncate(time.Hour)
	for i := range 40 { // each in a span of its own year's days, and of other channels
		for j := range 33 {
			if j == 0 || i < 12 {
				w.postAt(w.Create(fmt.Sprintf("c%dx%d", i, j), ada), start.Add(-time.Duration(i)*24*time.Hour))
			}
		}
	}
	var calls atomic.Int64
	w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		calls.Add(1)
		return send(ctx)
	})
	found, err := w.Faulty.Feeds.Search(t.Context(), "nothing", containing("nothing"), "", 10)
	w.OK(err)
	if found.Next == "" || len(found.Items) > 0 || found.Back.IsZero() || calls.Load() > 900 {
		t.Errorf("%d found, next %q, back to %s, in %d calls", len(found.Items), found.Next, found.Back, calls.Load())
	}
	on := w.searchPage("nothing", found.Next, 10)
	if on.Next != "" || !on.Back.Before(found.Back) || !on.Back.Equal(start.Add(-39*24*time.Hour)) {
		t.Errorf("the next page looks back to %s, and the first to %s", on.Back, found.Back)
	}
}

func searchTakesBoundedTime(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.PostAll(channel, storetest.NewPosts(channel, 3000))
	w.OverNetwork()
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallRange {
			time.Sleep(2 * time.Second)
		}
		return send(ctx)
	})
	began := time.Now()
	found, err := w.Faulty.Feeds.Search(t.Context(), "nothing", containing("nothing"), "", 10)
	w.OK(err)
	if took := time.Since(began); took > 8*time.Second || found.Next == "" || found.Back.IsZero() {
		t.Errorf("took %s, next %q", took, found.Next)
	}
}

func searchReadsInLargeParts(t *testing.T, w *world) {
	busy := w.Create("busy", ada)
	w.PostAll(busy, storetest.NewPosts(busy, 1500))
	for i := range 31 {
		w.Post(w.Create("c"+storetest.Text(i)[5:], ada), ada, "quiet")
	}
	var reads atomic.Int64
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Blogs" && strings.HasPrefix(call.From, schema.Blog.Prefix()) {
			reads.Add(1)
		}
		return send(ctx)
	})
	found, err := w.Faulty.Feeds.Search(t.Context(), "nothing", containing("nothing"), "", 10)
	w.OK(err)
	if reads.Load() > 40 || found.Next != "" {
		t.Errorf("%d reads, next %q", reads.Load(), found.Next)
	}
}
