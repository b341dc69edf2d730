package reader_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestFeedTrips(t *testing.T) {
	t.Run("2,000 subscriptions cost 1.1 reads each, less than 3 s, and no text but the page's", drivertest.Long(bubble(feedOfManyCostsFewReads)))
	t.Run("a channel that is being deleted is on no page, and its row is not removed", bubble(feedLeavesOutADeletion))
	t.Run("a channel that was replaced is on no page, and its dangling row is removed", feedRemovesAReplacedChannel)
}

func feedLeavesOutADeletion(t *testing.T, w *world) {
	kept, doomed := w.Create("kept", grace), w.Create("doomed", grace)
	w.Post(kept, ada, "one")
	w.Post(doomed, ada, "two")
	w.Ask(doomed)
	for _, limit := range []int{1, 20, 100} {
		if got := w.feed(grace, limit); !slices.Equal(got, []string{"one"}) {
			t.Errorf("the feed is %q", got)
		}
	}
	if there, err := w.Store.Subscriptions.Has(t.Context(), doomed.Ref(), grace); err != nil || !there {
		t.Errorf("the user's row is removed before the deletion has got there: %v", err)
	}
}

// The user's row of a channel that was deleted came back, as a crash leaves it.
func feedRemovesAReplacedChannel(t *testing.T) {
	for _, limit := range []int{20, 100} {
		bubble(func(t *testing.T, w *world) {
			old := w.Create("garden", ada)
			w.Delete(old)
			w.Post(w.Create("garden", ada), ada, "not for grace")
			w.joinLate(old, grace)
			if got := w.feed(grace, limit); len(got) != 0 {
				t.Errorf("the feed is %q", got)
			}
			if there, err := w.Store.Subscriptions.Has(t.Context(), old.Ref(), grace); err != nil || there {
				t.Errorf("the dangling row is there: %t, %v", there, err)
			}
		})(t)
	}
}

func feedOfManyCostsFewReads(t *testing.T, w *world) {
	want := w.Follow(domain.MaxSubscriptions)
	var calls, texts atomic.Int64
	store := storage.New(drivertest.Far(w.DB), storage.Options{Around: []driver.Around{
		func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
			calls.Add(1)
			time.Sleep(10 * time.Millisecond)
			err := next(ctx)
			for _, row := range append(slices.Clip(c.Page.Rows), c.Entity) {
				texts.Add(int64(min(len(row.Properties.String("Text")), 1)))
			}
			return err
		}}})
	began := time.Now()
	page, err := store.Feeds.List(t.Context(), grace, "", 20)
	took := time.Since(began)
	w.OK(err)
	if took >= 3*time.Second || calls.Load() > domain.MaxSubscriptions*11/10 || texts.Load() != 20 {
		t.Errorf("%s, %d calls, and %d texts were read", took, calls.Load(), texts.Load())
	}
	for i, item := range page.Items {
		if item.Text != want[i] {
			t.Errorf("post %d of the page is %q, want %q", i, item.Text, want[i])
		}
	}
}
