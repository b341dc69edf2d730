package storage_test

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
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestAuthor(t *testing.T) {
	t.Run("has their posts of all active channels, newest first, in pages of any size", bubble(authorHasTheirPosts))
	t.Run("a row that names a post of another is shown to nobody", bubble(postOfAnotherIsNotShown))
	t.Run("rows of a channel that is gone are removed by who reads them, and fill no page", bubble(rowsOfGoneChannelGo))
	t.Run("a sweep takes posts and votes off the lists of their users, and leaves those of a later channel", bubble(sweepTakesOffLists))
	t.Run("an export reads the list of its user once, however many channels are on it", bubble(listIsReadOnce))
	t.Run("a request that is sent twice leaves one row, and a post that is deleted none", bubble(listHasNoMore))
	t.Run("a batch writes one transaction for its list", bubble(batchListsInOneWrite))
	t.Run("a page of twenty channels costs a read of each, one of each post, and one of the list", bubble(authorCosts))
}

// wrote returns the texts on an author's page, read in pages, with their channels.
func (w *world) wrote(by domain.UserName, limit int) (texts []string) {
	w.t.Helper()
	for after := ""; ; {
		page, err := w.store.Feeds.BlogsBy(w.t.Context(), by, after, limit)
		w.ok(err)
		if after = page.Next; after != "" && len(page.Items) != limit {
			w.t.Errorf("a page of %d posts has %d", limit, len(page.Items))
		}
		for _, item := range page.Items {
			texts = append(texts, string(item.Name)+" "+item.Text)
		}
		if after == "" {
			return texts
		}
	}
}

// onList are the rows of an author's list.
func (w *world) onList(by domain.UserName) (rows []string) {
	for _, row := range w.rows("Users") {
		if row.Partition == string(by) && strings.HasPrefix(row.Row, "wrote!") {
			rows = append(rows, row.Row)
		}
	}
	return rows
}

func authorHasTheirPosts(t *testing.T, w *world) {
	channels := []domain.Channel{w.create("Garden", ada), w.create("pond", eve), w.create("doomed", ada)}
	var want []string
	for i := range 9 {
		time.Sleep(time.Second) // of the bubble, so that each post is newer
		in := channels[i%3]
		w.post(in, grace, fmt.Sprint(i))
		w.post(in, ada, fmt.Sprint("of another ", i))
		if i%3 != 2 {
			want = append(want, fmt.Sprintf("%s %d", in.Name, i))
		}
	}
	slices.Reverse(want)
	w.ask(channels[2])
	for limit := 1; limit <= 10; limit++ {
		if got := w.wrote(grace, limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %q, want %q", limit, got, want)
		}
	}
	if got := w.wrote("nobody", 5); got != nil {
		t.Errorf("nobody wrote %q", got)
	}
	if _, err := w.store.Feeds.BlogsBy(t.Context(), grace, "x", 5); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("a cursor of nothing: %v", err)
	}
	if n := len(w.onList(grace)); n != 9 {
		t.Errorf("%d rows are left of 9, and no channel is gone", n)
	}
}

// A delayed duplicate puts a post on the list of whoever has its author's former name.
func postOfAnotherIsNotShown(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "own")
	w.ok(w.store.Operator.ListPosts(t.Context(), grace, w.post(channel, eve, "another's")))
	if got := w.wrote(grace, 5); !slices.Equal(got, []string{"garden own"}) {
		t.Errorf("on the page: %q", got)
	}
}

func rowsOfGoneChannelGo(t *testing.T, w *world) {
	kept, gone := w.create("kept", ada), w.create("gone", ada)
	w.post(kept, grace, "old")
	for i := range 30 {
		w.post(gone, grace, fmt.Sprint(i))
	}
	dead := slices.DeleteFunc(w.rows("Users"), func(row driver.Entity) bool { return row.Properties.String("Incarnation") != string(gone.Incarnation) })
	w.delete(gone)
	for _, row := range dead { // as if the sweep had missed them
		w.ok(w.table("Users").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	}
	again := w.create("gone", eve)
	w.post(again, eve, "of another")
	var posts, channels atomic.Int64
	w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if strings.HasPrefix(call.Row, "blog!") {
			posts.Add(1)
		}
		if call.Target == "Channels" {
			channels.Add(1)
		}
		return send(ctx)
	})
	page, err := w.faulty.Feeds.BlogsBy(t.Context(), grace, "", 5)
	if err != nil || len(page.Items) != 1 || page.Items[0].Text != "old" {
		t.Errorf("on one page: %+v, %v", page, err)
	}
	if n := len(w.onList(grace)); len(dead) != 30 || n != 1 {
		t.Errorf("%d rows are left of %d, want 1", n, len(dead))
	}
	if posts.Load() > 10 || channels.Load() != 2 {
		t.Errorf("%d posts were read and %d channels, want each channel once, and no post of one that is known to be gone", posts.Load(), channels.Load())
	}
}

func sweepTakesOffLists(t *testing.T, w *world) {
	gone, other := w.create("gone", ada), w.create("other", ada)
	for i := range 130 { // more than a transaction holds
		post := w.post(gone, []domain.UserName{grace, eve}[i%2], fmt.Sprint(i))
		w.ok(w.store.Posts.Vote(t.Context(), gone.Ref(), post.ID, ada))
	}
	w.ok(w.store.Posts.Vote(t.Context(), other.Ref(), w.post(other, grace, "kept").ID, ada))
	w.delete(gone)
	listed := func() (rows []string) {
		for _, row := range w.rows("Users") {
			if strings.HasPrefix(row.Row, "wrote!") || strings.HasPrefix(row.Row, "voted!") {
				rows = append(rows, row.Partition+" "+row.Properties.String("Channel"))
			}
		}
		return rows
	}
	if got := listed(); !slices.Equal(got, []string{"ada other", "grace other"}) {
		t.Errorf("on the lists: %q", got)
	}
	w.post(w.create("gone", eve), grace, "of the next")
	_, _ = w.store.Operator.Sweep(t.Context(), gone.Ref(), "", func(int) { t.Error("a late sweep removes rows") })
	if got := listed(); !slices.Equal(got, []string{"ada other", "grace gone", "grace other"}) {
		t.Errorf("after a late sweep: %q", got)
	}
	w.mustBeSound()
}

func listIsReadOnce(t *testing.T, w *world) {
	for i := range 8 {
		in := w.create(fmt.Sprintf("c%d", i), ada)
		for n := range 3 {
			w.post(in, grace, fmt.Sprint(i, n))
		}
	}
	var ranges atomic.Int64
	w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Users" && call.Method == driver.CallRange {
			ranges.Add(1)
		}
		return send(ctx)
	})
	wrote, err := w.faulty.Feeds.WroteTo(t.Context(), grace)
	w.ok(err)
	posts := 0
	for _, in := range wrote {
		for items, err := range w.faulty.Feeds.WrittenTo(t.Context(), grace, in) {
			w.ok(err)
			posts += len(items)
		}
	}
	if len(wrote) != 8 || posts != 24 || ranges.Load() != 1 {
		t.Errorf("%d posts in %d channels, with %d reads of the list; want 24 in 8, with 1", posts, len(wrote), ranges.Load())
	}
}

func listHasNoMore(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	first, _, err := w.store.Posts.Create(t.Context(), posting(channel, grace, "one"))
	w.ok(err)
	for _, other := range []string{"one", "another text under its key"} {
		again := posting(channel, grace, "one")
		again.Draft.Text = other
		_, made, _ := w.store.Posts.Create(t.Context(), again)
		if made || len(w.onList(grace)) != 1 {
			t.Errorf("%q: made %t, and the list is %q", other, made, w.onList(grace))
		}
	}
	w.ok(w.store.Posts.Delete(t.Context(), channel, first.ID, ada, domain.Any[domain.Revision]()))
	if got := w.onList(grace); got != nil {
		t.Errorf("after the deletion, the list is %q", got)
	}
}

func batchListsInOneWrite(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	list := postings(channel, 100)
	calls := 0
	w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Users" && drivertest.Writes(call) {
			calls++
		}
		return send(ctx)
	})
	for _, r := range w.faulty.Posts.CreateAll(t.Context(), channel, list) {
		w.ok(r.Err)
	}
	if by := list[0].By; calls != 1 || len(w.onList(by)) != 100 || len(w.wrote(by, 100)) != 100 {
		t.Errorf("%d calls list %d posts, want 1 and 100", calls, len(w.onList(by)))
	}
}

func authorCosts(t *testing.T, w *world) {
	for i := range 20 {
		w.post(w.create(fmt.Sprintf("c%d", i), ada), grace, "one")
	}
	w.arm(drivertest.Pass)
	page, err := w.faulty.Feeds.BlogsBy(t.Context(), grace, "", 20)
	w.ok(err)
	if n := w.calls.Load(); len(page.Items) != 20 || n != 41 {
		t.Errorf("%d posts for %d calls, want 20 for 41", len(page.Items), n)
	}
}
