package blog_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

func TestBlogPost(t *testing.T) {
	t.Run("source owns its keys, whichever user imports", bubble(sourceOwnsItsKeys))
	t.Run("date that no row can store is refused", bubble(unstorableDateIsRefused))
}

// Two users who import one source share its keys. A user with the name of the source
// does not.
func sourceOwnsItsKeys(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	p := storetest.NewPost(channel, grace, "one")
	p.Source = "feed"
	first, created, err := w.Store.Posts.Create(t.Context(), p)
	if err != nil || !created {
		t.Fatal(created, err)
	}
	p.By = eve
	again, created, err := w.Store.Posts.Create(t.Context(), p)
	if err != nil || created || again.ID != first.ID {
		t.Errorf("imported by another: %+v, created %v, %v", again, created, err)
	}
	p.Source = ""
	p.By = "feed"
	if _, created, err = w.Store.Posts.Create(t.Context(), p); err != nil || !created {
		t.Errorf("a user with the name of the source: created %v, %v", created, err)
	}
}

// An import may bring any date, but a row holds only the years 1601 to 9999.
func unstorableDateIsRefused(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for _, year := range []int{-1, 1, 1600, 10000} {
		p := storetest.NewPost(channel, grace, "text")
		p.CreatedOn = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		if _, _, err := w.Store.Posts.Create(t.Context(), p); !errors.Is(err, domain.ErrLimit) {
			t.Errorf("posting in the year %d: %v", year, err)
		}
	}
	oldest := w.Dated(channel, time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), "oldest")
	newest := w.Dated(channel, time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "newest")
	if got := w.listed(channel.Ref(), storage.BlogQuery{Limit: 9}, storetest.Nothing); !slices.Equal(got, []domain.Blog{newest, oldest}) {
		t.Errorf("listed %+v", got)
	}
}
