package reader_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestAuthor(t *testing.T) {
	t.Run("has their posts of all active channels, newest first, in pages of any size", bubble(authorHasTheirPosts))
	t.Run("has their votes that were not taken back, on posts of all active channels", bubble(userHasTheirVotes))
	t.Run("has their replies to posts that are there, in active channels", bubble(authorHasTheirReplies))
	t.Run("has the posts that they replied to, each once and the newest first, in active channels", bubble(authorHasWhatTheyRepliedTo))
	t.Run("a row that names a post of another is not shown", bubble(postOfAnotherIsNotShown))
	t.Run("rows of a channel that is gone are removed by who reads them", bubble(rowsOfGoneChannelGo))
	t.Run("an export reads the list of its user once, has all posts of each channel, and can be stopped", bubble(exportHasAll))
	t.Run("a request that is sent twice leaves one row, and a post that is deleted none", bubble(listHasNoMore))
}

// wrote returns the texts on an author's page, read in pages, with their channels.
func (w *world) wrote(by domain.UserName, limit int) (texts []string) {
	w.T.Helper()
	for _, item := range slices.Concat(storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[storage.FeedItem], error) {
		return w.Store.Feeds.BlogsBy(w.T.Context(), by, after, limit)
	})...) {
		texts = append(texts, string(item.Name)+" "+item.Text)
	}
	return texts
}

func authorHasTheirPosts(t *testing.T, w *world) {
	channels := []domain.Channel{w.Create("Garden", ada), w.Create("pond", eve), w.Create("doomed", ada)}
	var want []string
	for i := range 9 {
		time.Sleep(time.Second) // of the bubble, so that each post is newer
		in := channels[i%3]
		w.Post(in, grace, fmt.Sprint(i))
		w.Post(in, ada, fmt.Sprint("of another ", i))
		if i%3 != 2 {
			want = append(want, fmt.Sprintf("%s %d", in.Name, i))
		}
	}
	slices.Reverse(want)
	w.Ask(channels[2])
	for limit := 1; limit <= 10; limit++ {
		if got := w.wrote(grace, limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %q, want %q", limit, got, want)
		}
	}
	if got := w.wrote("norman", 5); got != nil {
		t.Errorf("a user without posts wrote %q", got)
	}
	if _, err := w.Store.Feeds.BlogsBy(t.Context(), grace, "x", 5); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("a cursor of nothing: %v", err)
	}
	if n := len(w.OnList(grace)); n != 9 {
		t.Errorf("%d rows are left of 9, and no channel is gone", n)
	}
}

func userHasTheirVotes(t *testing.T, w *world) {
	garden, doomed := w.Create("garden", ada), w.Create("doomed", ada)
	kept, back := w.Post(garden, ada, "kept"), w.Post(garden, ada, "taken back")
	for _, post := range []domain.Blog{kept, back, w.Post(doomed, ada, "doomed")} {
		w.OK(w.Store.Posts.Vote(t.Context(), post.Channel, post.ID, grace))
	}
	w.OK(w.Store.Posts.Unvote(t.Context(), garden.Ref(), back.ID, grace))
	w.Ask(doomed)
	if page, err := w.Store.Feeds.VotesBy(t.Context(), grace, "", 9); err != nil || len(page.Items) != 1 || page.Items[0].ID != kept.ID {
		t.Errorf("votes on %+v, %v; want one on %s", page, err, kept.ID)
	}
}

// A delayed duplicate puts a post on the list of the user who has its author's former name.
func postOfAnotherIsNotShown(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, grace, "own")
	w.OK(w.Store.Operator.ListPosts(t.Context(), grace, w.Post(channel, eve, "another's")))
	if got := w.wrote(grace, 5); !slices.Equal(got, []string{"garden own"}) {
		t.Errorf("on the page: %q", got)
	}
}

func rowsOfGoneChannelGo(t *testing.T, w *world) {
	kept, gone := w.Create("kept", ada), w.Create("gone", ada)
	w.Post(kept, grace, "old")
	for i := range 30 {
		w.Post(gone, grace, fmt.Sprint(i))
	}
	dead := slices.DeleteFunc(w.Rows("Users"), func(row driver.Entity) bool { return row.Properties.String("Incarnation") != string(gone.Incarnation) })
	w.Delete(gone)
	for _, row := range dead { // as if the sweep had missed them
		w.OK(w.Table("Users").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	}
	again := w.Create("gone", eve)
	w.Post(again, eve, "of another")
	if page, err := w.Store.Feeds.BlogsBy(t.Context(), grace, "", 31); err != nil || len(page.Items) != 1 || page.Items[0].Text != "old" {
		t.Errorf("on one page: %+v, %v", page, err)
	}
	if n := len(w.OnList(grace)); len(dead) != 30 || n != 1 {
		t.Errorf("%d rows are left of %d, want 1", n, len(dead))
	}
}

func exportHasAll(t *testing.T, w *world) {
	w.PostAll(w.Create("garden", ada), storetest.NewPosts(w.ReadChannel("garden"), 101))
	for i := range 7 {
		w.Post(w.Create(fmt.Sprintf("c%d", i), ada), grace, "one")
	}
	var ranges atomic.Int64
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Users" && call.Method == driver.CallRange {
			ranges.Add(1)
		}
		return send(ctx)
	})
	wrote, err := w.Faulty.Feeds.WroteTo(t.Context(), grace)
	w.OK(err)
	posts := 0
	for _, in := range wrote {
		for items, err := range w.Faulty.Feeds.WrittenTo(t.Context(), grace, in) {
			w.OK(err)
			posts += len(items)
		}
		for range w.Store.Feeds.WrittenTo(t.Context(), grace, in) {
			break // it panics if it goes on
		}
	}
	if len(wrote) != 8 || posts != 108 || ranges.Load() != 1 {
		t.Errorf("%d posts in %d channels, with %d reads of the list; want 108 in 8, with 1", posts, len(wrote), ranges.Load())
	}
}

func listHasNoMore(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	first, _, err := w.Store.Posts.Create(t.Context(), storetest.NewPost(channel, grace, "one"))
	w.OK(err)
	for _, other := range []string{"one", "another text under its key"} {
		again := storetest.NewPost(channel, grace, "one")
		again.Draft.Text = other
		_, made, _ := w.Store.Posts.Create(t.Context(), again)
		if made || len(w.OnList(grace)) != 1 {
			t.Errorf("%q: made %t, and the list is %q", other, made, w.OnList(grace))
		}
	}
	w.OK(w.Store.Posts.Delete(t.Context(), channel, first.ID, domain.By(ada), domain.Any[domain.Revision]()))
	if got := w.OnList(grace); got != nil {
		t.Errorf("after the deletion, the list is %q", got)
	}
}

func authorHasTheirReplies(t *testing.T, w *world) {
	garden, doomed, gone := w.Create("garden", ada), w.Create("doomed", ada), w.Create("gone", ada)
	kept, removed := w.Post(garden, ada, "kept"), w.Post(garden, ada, "removed")
	reply := func(to domain.Blog, in domain.Channel, text string) domain.Reply {
		reply, _, err := w.Store.Posts.Reply(t.Context(), storage.NewReply{Channel: in, Post: to.ID, By: grace, Key: text, Text: text})
		w.OK(err)
		return reply
	}
	reply(kept, garden, "first")
	deleted := reply(kept, garden, "deleted")
	_, err := w.Store.Posts.DeleteReply(t.Context(), garden, kept.ID, deleted.ID, domain.By(grace))
	w.OK(err)
	reply(kept, garden, "second")
	reply(removed, garden, "to a post that is removed")
	w.OK(w.Store.Posts.Delete(t.Context(), garden, removed.ID, domain.By(ada), storetest.AnyRevision)) // and no worker has come yet
	reply(w.Post(doomed, ada, "doomed"), doomed, "in a channel that is being deleted")
	reply(w.Post(gone, ada, "gone"), gone, "in a channel that is gone")
	w.Ask(doomed)
	w.Delete(gone)
	for limit := 1; limit <= 7; limit++ {
		var got []string
		for _, item := range slices.Concat(storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[storage.WrittenReply], error) {
			return w.Store.Feeds.RepliesBy(t.Context(), grace, after, limit)
		})...) {
			got = append(got, string(item.To.Name)+" "+item.To.Text+" "+item.Text)
		}
		if want := []string{"garden kept first", "garden kept second"}; !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %q, want %q", limit, got, want)
		}
	}
	if _, err := w.Store.Feeds.RepliesBy(t.Context(), grace, "x", 5); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("a cursor of nothing: %v", err)
	}
}

func authorHasWhatTheyRepliedTo(t *testing.T, w *world) {
	garden, doomed, gone := w.Create("garden", ada), w.Create("doomed", ada), w.Create("gone", ada)
	question := func(in domain.Channel, text string, replies int) domain.Blog {
		time.Sleep(time.Second) // of the bubble, so that each post is newer
		post := w.Post(in, ada, text)
		for i := range replies {
			w.Reply(in, post.ID, grace, fmt.Sprint(text, i))
		}
		return post
	}
	question(garden, "one", 1)
	question(garden, "none", 0)
	question(garden, "three", 3)
	removed := question(garden, "removed", 1)
	question(doomed, "doomed", 1)
	question(gone, "gone", 1)
	question(garden, "many", 4)
	w.OK(w.Store.Posts.Delete(t.Context(), garden, removed.ID, domain.By(ada), storetest.AnyRevision))
	w.Ask(doomed)
	dead := slices.DeleteFunc(w.Rows("Users"), func(row driver.Entity) bool { return row.Properties.String("Incarnation") != string(gone.Incarnation) })
	w.Delete(gone)
	for _, row := range dead { // as if the sweep had missed them
		w.OK(w.Table("Users").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
	}
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Writes() {
			t.Errorf("reading writes: %s of %s", call.Method, call.Target)
		}
		return send(ctx)
	})
	for limit, want := range map[int][]string{1: {"many"}, 6: {"many", "three", "one"}} {
		items, err := w.Faulty.Feeds.RepliedTo(t.Context(), grace, limit)
		w.OK(err)
		var got []string
		for _, item := range items {
			got = append(got, item.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("up to %d: %q, want %q", limit, got, want)
		}
	}
}
