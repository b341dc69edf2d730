package blog_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestPostAll(t *testing.T) {
	t.Run("each post of several is answered as one alone", bubble(eachPostIsAnsweredAlone))
	t.Run("of two requests with one key the first makes the post", bubble(twinsMakeOnePost))
	t.Run("posts without a date keep their order", bubble(undatedKeepTheirOrder))
	t.Run("the longest posts fit in one transaction", longestPostsFitTogether)
	t.Run("a post that breaks a limit fails alone", bubble(brokenLimitFailsAlone))
}

func eachPostIsAnsweredAlone(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	earlier := w.edit(w.Post(channel, grace, "earlier"), "edited since")
	w.Post(channel, eve, "of another user")
	w.Post(channel, grace, "reused")
	gone := w.Post(channel, grace, "gone")
	w.OK(w.Store.Posts.Delete(t.Context(), channel, gone.ID, domain.By(grace), storetest.AnyRevision))
	reused := storetest.NewPost(channel, grace, "reused")
	reused.Draft.Text = "another body"
	list := []storage.NewPost{
		storetest.NewPost(channel, grace, "new"), storetest.NewPost(channel, grace, "earlier"), reused,
		storetest.NewPost(channel, grace, "gone"), storetest.NewPost(channel, grace, "of another user"),
	}
	for _, fresh := range []bool{true, false} {
		before := w.Store.Operator.Earlier(t.Context(), channel, list)
		r := w.Store.Posts.CreateAll(t.Context(), channel, list)
		for i, want := range []storage.PostResult{
			{Made: fresh, Blog: domain.Blog{Draft: domain.Draft{Text: "new"}}}, {Blog: domain.Blog{Draft: domain.Draft{Text: earlier.Text}}}, {Err: domain.ErrKeyReused},
			{Err: domain.ErrPostGone}, {Made: fresh, Blog: domain.Blog{Draft: domain.Draft{Text: "of another user"}}},
		} {
			if !errors.Is(r[i].Err, want.Err) || r[i].Blog.Text != want.Blog.Text || r[i].Made != want.Made {
				t.Errorf("post %d: %+v, want %+v", i, r[i], want)
			}
			if b := before[i]; b.Made != want.Made || !b.Made && (b.Blog != r[i].Blog || !errors.Is(b.Err, want.Err)) {
				t.Errorf("post %d: before it was made %+v, then %+v", i, b, r[i])
			}
			if blog, made, err := w.Store.Posts.Create(t.Context(), list[i]); made || blog != r[i].Blog || !errors.Is(err, want.Err) {
				t.Errorf("post %d once more, alone: %+v, made %t, %v", i, blog, made, err)
			}
		}
	}
	want := []string{"edited since", "new", "of another user", "of another user", "reused"}
	if got := slices.Sorted(slices.Values(w.Texts(channel.Ref()))); !slices.Equal(got, want) {
		t.Errorf("posts: %q, want %q", got, want)
	}
	w.MustBeSound()
}

func twinsMakeOnePost(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	other := storetest.NewPost(channel, grace, "one")
	other.Draft.Text = "another body"
	r := w.Store.Posts.CreateAll(t.Context(), channel, []storage.NewPost{
		storetest.NewPost(channel, grace, "one"), storetest.NewPost(channel, grace, "one"), storetest.NewPost(channel, grace, "two"), other,
	})
	switch {
	case !r[0].Made || r[1].Made || r[1].Blog != r[0].Blog || !r[2].Made:
		t.Errorf("answered %+v", r)
	case r[1].Err != nil || !errors.Is(r[3].Err, domain.ErrKeyReused):
		t.Errorf("the twins are answered %v and %v", r[1].Err, r[3].Err)
	}
	if got := w.Texts(channel.Ref()); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("posts: %q", got)
	}
	if r = w.Store.Posts.CreateAll(t.Context(), channel, nil); len(r) > 0 {
		t.Errorf("no post is answered %+v", r)
	}
}

// All are made within one tick of the clock of a bubble, which does not move.
func undatedKeepTheirOrder(t *testing.T, w *world) {
	channel, transactions := w.Create("garden", ada), 0
	w.Arm(drivertest.Only(transacts, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if len(call.Operations) > 3 {
			transactions++
		}
		return send(ctx)
	}))
	w.Faulty.Posts.CreateAll(t.Context(), channel, storetest.NewPosts(channel, 96))
	if transactions != 3 {
		t.Errorf("%d transactions, want three of %d posts", transactions, storage.MaxNewPosts)
	}
	var want []string
	for i := range 96 {
		want = append([]string{storetest.Text(i)}, want...)
	}
	if got := w.Texts(channel.Ref()); !slices.Equal(got, want) {
		t.Errorf("posts: %q", got)
	}
}

func longestPostsFitTogether(t *testing.T) {
	for _, c := range []string{"😀", "<", "\t", "\u2028", "é"} {
		bubble(func(t *testing.T, w *world) {
			channel := w.Create("garden", ada)
			w.Post(channel, grace, "first")
			list := storetest.NewPosts(channel, storage.MaxNewPosts)
			for i := range list {
				draft, err := domain.ParseDraft(domain.Draft{Title: strings.Repeat(c, domain.MaxTitle)[:domain.MaxTitle*len(c)], Text: "x" + strings.Repeat(c, domain.MaxText-2) + "x"})
				if err != nil { // a character that no title may hold
					draft, err = domain.ParseDraft(domain.Draft{Text: "x" + strings.Repeat(c, domain.MaxText-2) + "x"})
				}
				w.OK(err)
				list[i].Draft = draft
			}
			w.OK(w.Faulty.Operator.NoteActive(t.Context(), channel.Ref(), time.Now()))
			w.Arm(drivertest.Pass)
			for i, r := range w.Faulty.Posts.CreateAll(t.Context(), channel, list) {
				if r.Err != nil || !r.Made || r.Blog.Text != list[i].Draft.Text {
					t.Errorf("%q: post %d: made %v, %v", c, i, r.Made, r.Err)
				}
			}
			if n := w.Calls.Load(); n != 4 { // who may post, the list of the author, their account, and the posts
				t.Errorf("%q: %d requests, want 4", c, n)
			}
		})(t)
	}
}

func brokenLimitFailsAlone(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	list := storetest.NewPosts(channel, 33)
	list[7].CreatedOn = time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)
	list[20].Draft.Text = strings.Repeat("x", 1<<16)
	for i, r := range w.Store.Posts.CreateAll(t.Context(), channel, list) {
		if broken := i == 7 || i == 20; broken != errors.Is(r.Err, domain.ErrLimit) || r.Made == broken {
			t.Errorf("post %d: made %v, %v", i, r.Made, r.Err)
		}
	}
	w.MustBeSound()
}
