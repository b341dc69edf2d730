package storage_test

import (
	"context"
	"fmt"
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
	t.Run("2,000 subscriptions cost 1.1 reads each, less than 3 s, and no text but the page's", bubble(feedOfManyCostsFewReads))
	t.Run("a channel that is being deleted is on no page, and its row is not removed", bubble(feedLeavesOutADeletion))
	t.Run("a channel that was replaced is on no page, and its dangling row is removed", feedRemovesAReplacedChannel)
}

// follow makes grace subscribe to many channels, each with a post, by writing the rows
// alone. It returns the texts, the newest first.
func (w *world) follow(channels int) (texts []string) {
	w.t.Helper()
	var subscriptions []driver.Operation
	first := domain.Now()
	for i := range channels {
		channel := w.channel(fmt.Sprintf("channel%04d", i), ada)
		on := first.Add(time.Duration(i*7919%channels) * time.Second)
		key, id, made := string(channel.Key()), domain.NewBlogID(on), driver.String("Incarnation", channel.Incarnation)
		w.ok(w.table("Channels").Transact(w.t.Context(), key, driver.Insert("",
			driver.String("Name", channel.Name), driver.String("Owner", ada), made, driver.String("State", domain.ChannelActive))))
		w.ok(w.table("Blogs").Transact(w.t.Context(), key,
			driver.Insert("blog!"+string(id), driver.String("Text", fmt.Sprint(on.Unix())), driver.Time("CreatedOn", on), made),
			driver.Insert("sub!"+string(grace), made)))
		subscriptions = append(subscriptions, driver.Insert(key+"!"+string(channel.Incarnation),
			driver.String("Name", channel.Name), driver.String("State", "joined")))
		texts = append(texts, fmt.Sprint(on.Unix()))
	}
	for some := range slices.Chunk(subscriptions, 100) {
		w.ok(w.table("Subscriptions").Transact(w.t.Context(), string(grace), some...))
	}
	slices.Sort(texts)
	slices.Reverse(texts)
	return texts
}

func feedLeavesOutADeletion(t *testing.T, w *world) {
	kept, doomed := w.create("kept", grace), w.create("doomed", grace)
	w.post(kept, ada, "one")
	w.post(doomed, ada, "two")
	w.ask(doomed)
	for _, limit := range []int{1, 20, 100} {
		if got := w.feed(grace, limit); !slices.Equal(got, []string{"one"}) {
			t.Errorf("the feed is %q", got)
		}
	}
	if there, err := w.store.Subscriptions.Has(t.Context(), doomed.Ref(), grace); err != nil || !there {
		t.Errorf("the user's row is removed before the deletion has got there: %v", err)
	}
}

// The user's row of a channel that was deleted came back, as a crash leaves it.
func feedRemovesAReplacedChannel(t *testing.T) {
	for _, limit := range []int{20, 100} {
		inBubble(t, func(t *testing.T, w *world) {
			old := w.create("garden", ada)
			w.delete(old)
			w.post(w.create("garden", ada), ada, "not for grace")
			w.joinLate(old, grace)
			if got := w.feed(grace, limit); len(got) != 0 {
				t.Errorf("the feed is %q", got)
			}
			if there, err := w.store.Subscriptions.Has(t.Context(), old.Ref(), grace); err != nil || there {
				t.Errorf("the dangling row is there: %t, %v", there, err)
			}
		})
	}
}

func feedOfManyCostsFewReads(t *testing.T, w *world) {
	want := w.follow(domain.MaxSubscriptions)
	var calls, texts atomic.Int64
	store := storage.New(drivertest.Far(w.db), storage.Options{Around: []driver.Around{
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
	w.ok(err)
	if took >= 3*time.Second || calls.Load() > domain.MaxSubscriptions*11/10 || texts.Load() != 20 {
		t.Errorf("%s, %d calls, and %d texts were read", took, calls.Load(), texts.Load())
	}
	for i, item := range page.Items {
		if item.Text != want[i] {
			t.Errorf("post %d of the page is %q, want %q", i, item.Text, want[i])
		}
	}
}
