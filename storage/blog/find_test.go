package blog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestBlogFind(t *testing.T) {
	t.Run("finds what matches in one incarnation", bubble(findsWhatMatches))
	t.Run("a request looks at no more posts than its budget and the next goes on", bubble(findKeepsItsBudget))
	t.Run("a request looks at less of long posts", drivertest.Long(bubble(findLooksAtLessOfLongPosts)))
	t.Run("a request matches for a second and the next goes on", bubble(findMatchesForASecond))
	t.Run("pages of what is found join to all of it", bubble(foundPagesJoin))
	t.Run("the page before ends right before the post", bubble(pageBeforeEndsAtThePost))
}

// has matches the posts with a word.
func has(word string) func(domain.Draft) bool {
	return func(d domain.Draft) bool { return strings.Contains(d.Title+"\n"+d.Text, word) }
}

func findsWhatMatches(t *testing.T, w *world) {
	garden, other := w.Create("garden", ada), w.Create("garden.too", ada)
	titled := storetest.NewPost(garden, grace, "nothing")
	titled.Draft.Title = "Auf der straße"
	_, _, err := w.Store.Posts.Create(t.Context(), titled)
	w.OK(err)
	w.Post(garden, grace, "in der straße")
	w.Post(garden, grace, "a stras se")
	w.Post(other, grace, "another straße")
	found, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "straße", has("straße"), storage.BlogQuery{Limit: 9})
	w.OK(err)
	if len(found.Items) != 2 || found.Searched != 3 || found.Next != "" {
		t.Errorf("found %+v", found)
	}
	again := domain.ChannelRef{Key: garden.Key(), Incarnation: other.Incarnation}
	if found, err = w.Store.Posts.Find(t.Context(), again, "straße", has("straße"), storage.BlogQuery{Limit: 9}); err != nil || len(found.Items) > 0 {
		t.Errorf("another incarnation has %+v, %v", found.Items, err)
	}
}

func findKeepsItsBudget(t *testing.T, w *world) {
	garden, reads := w.Create("garden", ada), 0
	ids := w.Fill(garden, blog.MaxSearched+5, time.Date(1994, 2, 3, 4, 5, 6, 0, time.UTC), func(i int) string { return fmt.Sprint("number ", i, ".") })
	w.Arm(func(ctx context.Context, c drivertest.Call, send drivertest.Send) error {
		reads++
		return send(ctx)
	})
	q := storage.BlogQuery{Limit: 9}
	first, err := w.Faulty.Posts.Find(t.Context(), garden.Ref(), "number 3.", has("number 3."), q)
	w.OK(err)
	// One read more tells that there is another page.
	if len(first.Items) != 0 || first.Searched != blog.MaxSearched || first.Next == "" || reads > blog.MaxSearched/driver.MaxPage+1 {
		t.Errorf("found %+v in %d reads", first, reads)
	}
	q.After = first.Next
	rest, err := w.Faulty.Posts.Find(t.Context(), garden.Ref(), "number 3.", has("number 3."), q)
	if w.OK(err); len(rest.Items) != 1 || rest.Searched != 5 || rest.Next != "" {
		t.Errorf("went on with %+v", rest)
	}
	q.Until = rest.Back
	if _, err = w.Faulty.Posts.Find(t.Context(), garden.Ref(), "number 4.", has("number 4."), q); !errors.As(err, new(*domain.InvalidError)) {
		t.Errorf("another search goes on with %v", err)
	}
	// The oldest post has more newer ones than one request looks at.
	if after, err := w.Store.Posts.PageBefore(t.Context(), garden.Ref(), ids[len(ids)-1], 9); err != nil || after == "" {
		t.Errorf("the page before the oldest post is the first (%v)", err)
	}
}

func findLooksAtLessOfLongPosts(t *testing.T, w *world) {
	garden, long := w.Create("garden", ada), strings.Repeat("x", 5000)
	w.Fill(garden, 3500, time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC), func(int) string { return long })
	q := storage.BlogQuery{Limit: 9}
	first, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "y", has("y"), q)
	w.OK(err)
	q.After = first.Next
	rest, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "y", has("y"), q)
	if w.OK(err); first.Next == "" || rest.Next != "" || first.Searched+rest.Searched != 3500 {
		t.Errorf("looked at %d and %d of 3500 posts of 5,000 characters", first.Searched, rest.Searched)
	}
}

func findMatchesForASecond(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	w.Fill(garden, 30, time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC), func(int) string { return "slow" })
	slow := func(domain.Draft) bool { time.Sleep(100 * time.Millisecond); return false }
	q := storage.BlogQuery{Limit: 9}
	for _, last := range []bool{false, false, true} {
		found, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "y", slow, q)
		if w.OK(err); found.Searched != 10 || (found.Next == "") != last {
			t.Fatalf("looked at %d of 30 posts that take 0.1 s each, and goes on after %q", found.Searched, found.Next)
		}
		q.After = found.Next
	}
}

func pageBeforeEndsAtThePost(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	year := 365 * 24 * time.Hour
	ids := w.Fill(garden, 60, time.Now().Add(-40*year), func(i int) string { return "old" })
	ids = append(w.Fill(garden, 60, time.Now().Add(-59*time.Hour), func(i int) string { return "new" }), ids...)
	w.Arm(drivertest.FailBefore(1))
	if after, err := w.Faulty.Posts.PageBefore(t.Context(), garden.Ref(), ids[0], 1); err == nil {
		t.Errorf("where a read fails, the page is %q", after)
	}
	for _, limit := range []int{1, 7, 20} {
		for i := range ids {
			after, err := w.Store.Posts.PageBefore(t.Context(), garden.Ref(), ids[i], limit)
			w.OK(err)
			page, err := w.Store.Posts.List(t.Context(), garden.Ref(), storage.BlogQuery{After: after, Limit: limit})
			w.OK(err)
			if first := max(0, i-limit); page.Items[0].ID != ids[first] || (after == "") != (first == 0) {
				t.Errorf("the page of %d before number %d begins with %s, not with number %d", limit, i, page.Items[0].ID, first)
			}
		}
	}
}

func foundPagesJoin(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	base := time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC)
	w.Fill(garden, 40, base, func(i int) string { return fmt.Sprint("number ", i%4, "!") })
	for limit := 1; limit <= 11; limit++ {
		q, got := storage.BlogQuery{Limit: limit}, 0
		for q.After = ""; ; {
			found, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "r 3!", has("r 3!"), q)
			w.OK(err)
			for _, b := range found.Items {
				if want := base.Add(time.Duration(39-4*got) * time.Hour); !b.CreatedOn.Equal(want) {
					t.Errorf("pages of %d: number %d is of %v, not %v", limit, got, b.CreatedOn, want)
				}
				got++
			}
			if q.After = found.Next; q.After == "" {
				break
			}
		}
		if got != 10 {
			t.Errorf("pages of %d found %d", limit, got)
		}
	}
	q := storage.BlogQuery{Limit: 2, Until: base.Add(20 * time.Hour)}
	found, err := w.Store.Posts.Find(t.Context(), garden.Ref(), "number 3", has("number 3"), q)
	if w.OK(err); !found.Items[0].CreatedOn.Equal(base.Add(19*time.Hour)) || found.Searched != 5 || !found.Back.Equal(base.Add(15*time.Hour)) {
		t.Errorf("of the earlier half it found %+v", found)
	}
}
