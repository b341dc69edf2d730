package blog_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

func TestBlogList(t *testing.T) {
	t.Run("list is exact, the newest post first, while posts come and go", postListIsExactWhileChanging)
	t.Run("a count of 1000 is exact, and one more is counted as more", bubble(countIsExactToItsLimit))
	t.Run("list and count never mix two incarnations", bubble(postListNeverMixesIncarnations))
}

// A reader may hold the channel of one incarnation and then list the posts. They see
// no post of the next incarnation.
func postListNeverMixesIncarnations(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	old := w.Post(channel, grace, "old")
	w.Delete(channel)
	again := w.Create("garden", ada)
	recent := w.Post(again, grace, "new")
	if got := w.Texts(channel.Ref()); len(got) != 0 {
		t.Errorf("the former incarnation lists %q", got)
	}
	for want, of := range []domain.Channel{channel, again} {
		if posts, people, more, err := w.Store.Posts.Count(t.Context(), of.Ref()); posts != want || people != want || more || err != nil {
			t.Errorf("%d posts by %d people are counted (more: %t, %v), want %d", posts, people, more, err, want)
		}
	}
	for _, wrong := range []struct {
		ref domain.ChannelRef
		id  domain.BlogID
	}{{channel.Ref(), old.ID}, {channel.Ref(), recent.ID}, {again.Ref(), old.ID}} {
		if blog, err := w.Store.Posts.Get(t.Context(), wrong.ref, wrong.id); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("read %+v, %v", blog, err)
		}
	}
	if _, err := w.Store.Operator.Sweep(t.Context(), channel.Ref(), "", func(int) {}); err != nil || len(w.OnList(grace)) != 1 {
		t.Errorf("after a late sweep of the former, grace's list has %d posts, want that of the next (%v)", len(w.OnList(grace)), err)
	}
}

func countIsExactToItsLimit(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for i, n := range []int{1000, 1} {
		w.Fill(channel, n, time.Now(), storetest.Text)
		if posts, _, more, err := w.Store.Posts.Count(t.Context(), channel.Ref()); posts != 1000 || more != (i > 0) || err != nil {
			t.Errorf("%d posts more: %d are counted (more: %t, %v)", n, posts, more, err)
		}
	}
}

func postListIsExactWhileChanging(t *testing.T) {
	w := newWorld(t)
	round := 0
	base := time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		round++
		channel := w.Create(fmt.Sprintf("round%d", round), ada)
		var there []domain.Blog
		posted := 0
		storetest.MustBeExact(rt, func() {
			if len(there) > 0 && rapid.Bool().Draw(rt, "delete") {
				i := rapid.IntRange(0, len(there)-1).Draw(rt, "which")
				w.OK(w.Store.Posts.Delete(t.Context(), channel, there[i].ID, domain.By(ada), storetest.AnyRevision))
				there = slices.Delete(there, i, i+1)
				return
			}
			posted++
			age := rapid.IntRange(0, 9).Draw(rt, "age")
			there = append(there, w.Dated(channel, base.Add(-time.Duration(age)*domain.Tick), storetest.Text(posted)))
		}, func() []string { return storetest.IDs(there) }, func(limit int, meanwhile func()) []string {
			return storetest.IDs(w.listed(channel.Ref(), storage.BlogQuery{Limit: limit}, meanwhile))
		})
	})
}
