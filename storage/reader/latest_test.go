package reader_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestLatest(t *testing.T) {
	t.Run("pages hold every post once, in the order of their times", bubble(latestHoldsEveryPost))
	t.Run("a channel that has posts each hour hides none behind it", bubble(latestBehindBusyChannel))
	t.Run("of many channels with posts in one hour it shows those that were noted last", bubble(latestOfMany))
	t.Run("channels are listed once, by the hour of their newest post", bubble(channelsByActivity))
	t.Run("cursor of another list is refused", bubble(latestRefusesOtherCursors))
	t.Run("nothing is shown of a deleted channel, and its rows go", bubble(latestForgetsTheGone))
	t.Run("row that is written again while a reader removes it stays", bubble(rewrittenActivityStays))
	t.Run("row that was not written is not remembered", bubble(failedNoteIsWrittenAgain))
	t.Run("process writes a row once in five minutes, and each incarnation", bubble(activityIsNotedOnce))
	t.Run("page that has not changed costs 16 calls and two for each of at most 32 channels, all concurrently", latestCosts)
	t.Run("row that was not written for a year goes", bubble(oldActivityGoes))
}

// latest reads all pages of the newest posts.
func (w *world) latest(limit int) []storage.FeedItem {
	w.T.Helper()
	return slices.Concat(storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[storage.FeedItem], error) {
		active, err := w.Store.Feeds.Active(w.T.Context(), after, nil)
		w.OK(err)
		return w.Store.Feeds.Latest(w.T.Context(), active, limit)
	})...)
}

// postAt posts to a channel, with a date.
func (w *world) postAt(to domain.Channel, on time.Time) domain.Blog {
	w.T.Helper()
	p := storetest.NewPost(to, ada, on.String())
	p.CreatedOn = on
	blog, _, err := w.Store.Posts.Create(w.T.Context(), p)
	w.OK(err)
	return blog
}

func latestHoldsEveryPost(t *testing.T, w *world) {
	start := time.Now()
	var want []domain.BlogID
	for i := range 50 { // more channels than a page looks at
		channel := w.Create("c"+storetest.Text(i)[5:], ada)
		list := storetest.NewPosts(channel, 4)
		for j := range list {
			list[j].CreatedOn = start.Add(-time.Duration(i*37+(j*i+j)*11) * time.Minute)
		}
		for _, post := range w.PostAll(channel, list) {
			want = append(want, post.ID)
		}
	}
	w.wantLatest(want)
}

func latestBehindBusyChannel(t *testing.T, w *world) {
	// Both have more rows than a page reads of their partitions, in which there are others.
	start, hourly, daily := time.Now(), w.Create("bell", ada), w.Create("daily", ada)
	var want []domain.BlogID
	for i := range 90 {
		on := start.Add(-time.Duration(i) * time.Hour)
		want = append(want, w.postAt(hourly, on).ID, w.postAt(daily, start.Add(-time.Duration(i)*24*time.Hour)).ID)
		if i >= 66 {
			want = append(want, w.postAt(w.Create("x"+storetest.Text(i)[5:], ada), on).ID)
		}
	}
	w.wantLatest(want)
}

// wantLatest fails the test unless these are the newest posts, by pages of any length.
func (w *world) wantLatest(want []domain.BlogID) {
	w.T.Helper()
	slices.Sort(want)
	for _, limit := range []int{7, 100} {
		var got []domain.BlogID
		for _, item := range w.latest(limit) {
			got = append(got, item.ID)
		}
		if !slices.Equal(got, want) {
			w.T.Errorf("by %d: %d posts, want %d, sorted %t", limit, len(got), len(want), slices.IsSorted(got))
		}
	}
}

func latestOfMany(t *testing.T, w *world) {
	hour := time.Now().Truncate(time.Hour)
	for i := range 40 {
		w.postAt(w.Create("c"+storetest.Text(i)[5:], ada), hour.Add(time.Duration(i)*time.Minute))
	}
	w.postAt(w.Create("before", ada), hour.Add(-time.Minute))
	items := w.latest(10)
	if len(items) != 33 || items[0].Name != "c39" || items[31].Name != "c8" || items[32].Name != "before" {
		t.Errorf("%d posts", len(items))
	}
}

func channelsByActivity(t *testing.T, w *world) {
	if none, err := w.Store.Feeds.ByActivity(t.Context(), "", 7); err != nil || len(none.Items) > 0 || none.Next != "" {
		t.Errorf("before the first post: %+v, %v", none, err)
	}
	hour := time.Now().Truncate(time.Hour)
	var want []domain.ChannelName
	for i := range 30 {
		channel := w.Create("c"+storetest.Text(100 + i)[5:], ada)
		for _, back := range []int{i / 4, i/4 + 1, i/4 + 5} {
			w.postAt(channel, hour.Add(-time.Duration(back)*time.Hour))
		}
		want = append(want, channel.Name)
	}
	undone := w.Create("undone", ada)
	w.postAt(undone, hour.Add(-30*time.Hour))
	newest := w.postAt(undone, hour)
	w.OK(w.Store.Posts.Delete(t.Context(), undone, newest.ID, domain.By(ada), domain.Any[domain.Revision]()))
	emptied := w.Create("emptied", ada)
	only := w.postAt(emptied, hour.Add(-8*time.Hour))
	w.OK(w.Store.Posts.Delete(t.Context(), emptied, only.ID, domain.By(ada), domain.Any[domain.Revision]()))
	w.Create("silent", ada)
	w.WriteForeign("Activity", "active!0", driver.Insert("of no form"))
	w.WriteForeign("Activity", "active!0", driver.Insert(domain.RecentFirst(hour)+"!"))
	want = append(want, "undone")
	var got []domain.ChannelName
	pages := storetest.Pages(w.World, 7, storetest.Nothing, func(after string) (storage.Page[storage.ActiveChannel], error) {
		return w.Store.Feeds.ByActivity(t.Context(), after, 7)
	})
	if len(pages[0]) != 5 { // one of 7 is met by a row that is too new, and one row leads to no channel
		t.Errorf("the first page of 7 has %d channels", len(pages[0]))
	}
	if last := pages[len(pages)-1]; len(last) == 0 {
		t.Error("the last page is empty")
	}
	for _, c := range slices.Concat(pages...) {
		got = append(got, c.Name)
		if c.Name == "c100" && !c.LastBlogOn.Equal(hour) || c.Name == "undone" && !c.LastBlogOn.Equal(hour.Add(-30*time.Hour)) {
			t.Errorf("%s was active at %s", c.Name, c.LastBlogOn)
		}
	}
	if !slices.Equal(got, want) || len(w.latest(10)) == 0 {
		t.Errorf("channels: %q, want %q", got, want)
	}
}

func latestRefusesOtherCursors(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for i := range 3 {
		w.Post(channel, ada, storetest.Text(i))
	}
	blogs, err := w.Store.Posts.List(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 1})
	w.OK(err)
	_, latest := w.Store.Feeds.Active(t.Context(), blogs.Next, nil)
	_, channels := w.Store.Feeds.ByActivity(t.Context(), blogs.Next, 10)
	for _, err := range []error{latest, channels} {
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("error: %v", err)
		}
	}
}

func latestForgetsTheGone(t *testing.T, w *world) {
	kept, gone := w.Create("kept", ada), w.Create("gone", ada)
	w.Post(kept, ada, "stays")
	w.Post(gone, ada, "goes")
	active, err := w.Store.Feeds.Active(t.Context(), "", nil)
	w.OK(err)
	var expected []domain.ChannelRef
	for _, c := range active.Channels {
		expected = append(expected, c.Ref())
	}
	w.Ask(gone)
	for _, rows := range []int{2, 1} { // what is being deleted may come back
		now, err := w.Store.Feeds.Active(t.Context(), "", expected)
		w.OK(err)
		if len(now.Channels) != 1 || now.Channels[0].Name != "kept" || now.Version == active.Version {
			t.Errorf("active: %+v", now)
		}
		if items := w.latest(10); len(items) != 1 || items[0].Text != "stays" {
			t.Errorf("latest: %+v", items)
		}
		if n := len(w.Rows("Activity")); n != rows {
			t.Errorf("the index has %d rows, want %d", n, rows)
		}
		w.CarryOut(w.Messages())
	}
	w.MustBeSound()
}

func activityIsNotedOnce(t *testing.T, w *world) {
	channel, noted := w.Create("garden", ada), 0
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Activity" {
			noted++
		}
		return send(ctx)
	})
	post := func(to domain.Channel, key string) {
		_, _, err := w.Faulty.Posts.Create(t.Context(), storetest.NewPost(to, ada, key))
		w.OK(err)
	}
	for i := range 5 {
		post(channel, storetest.Text(i))
	}
	w.Delete(channel)
	post(w.Create("garden", ada), "again")
	time.Sleep(5 * time.Minute)
	post(w.ReadChannel("garden"), "later")
	if noted != 3 {
		t.Errorf("the row was written %d times, want 3", noted)
	}
}

func rewrittenActivityStays(t *testing.T, w *world) {
	gone := w.Create("garden", ada)
	w.Post(gone, ada, "former")
	w.Delete(gone)
	removes := func(call drivertest.Call) bool {
		return call.Target == "Activity" && call.Method == driver.CallTransact
	}
	w.Arm(drivertest.Only(removes, storetest.Before(1, func() { w.Post(w.Create("garden", ada), ada, "again") })))
	_, err := w.Faulty.Feeds.Active(t.Context(), "", nil)
	w.OK(err)
	if posts := w.latest(10); len(posts) != 1 || posts[0].Text != "again" {
		t.Errorf("the newest posts are %v", posts)
	}
}

func failedNoteIsWrittenAgain(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Activity" }, drivertest.FailBefore(1)))
	for _, fails := range []bool{true, false} {
		if _, _, err := w.Faulty.Posts.Create(t.Context(), storetest.NewPost(channel, ada, "first")); (err != nil) != fails {
			t.Errorf("a post whose note fails (%t): %v", fails, err)
		}
	}
	if posts := w.latest(10); len(posts) != 1 {
		t.Errorf("of the newest posts, it shows %d", len(posts))
	}
	w.MustBeSound()
}

func latestCosts(t *testing.T) {
	for _, n := range []int{10, 100} {
		bubble(func(t *testing.T, w *world) {
			for i := range n {
				w.Post(w.Create("c"+storetest.Text(i)[5:], ada), ada, "one")
			}
			w.OverNetwork()
			w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				time.Sleep(10 * time.Millisecond)
				return send(ctx)
			})
			cost := func(what string, calls int64, trips time.Duration, read func()) {
				w.Calls.Store(0)
				began := time.Now()
				read()
				if took := time.Since(began) / (10 * time.Millisecond); w.Calls.Load() != calls || took != trips {
					t.Errorf("%d channels, %s: %d calls in %d round trips, want %d in %d", n, what, w.Calls.Load(), took, calls, trips)
				}
			}
			var active storage.Active
			look := func(expected ...domain.ChannelRef) {
				var err error
				active, err = w.Faulty.Feeds.Active(t.Context(), "", expected)
				w.OK(err)
			}
			shown := min(n, 32)
			cost("active", int64(16+2*shown), 2, func() { look() })
			var expected []domain.ChannelRef
			for _, c := range active.Channels {
				expected = append(expected, c.Ref())
			}
			before := active.Version
			cost("unchanged", int64(16+2*shown), 1, func() { look(expected...) })
			if active.Version != before {
				t.Error("nothing has changed, and the version has")
			}
			cost("posts", int64(shown+min(n, 20)), 2, func() {
				_, err := w.Faulty.Feeds.Latest(t.Context(), active, 20)
				w.OK(err)
			})
		})(t)
	}
}

func oldActivityGoes(t *testing.T, w *world) {
	w.Post(w.Create("garden", ada), ada, "one")
	row := w.Rows("Activity")[0]
	w.OK(w.Table("Activity").Transact(t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists,
		driver.Time("ExpiresOn", row.Properties.Time("ExpiresOn").Add(-366*24*time.Hour)))))
	w.Post(w.Create("kitchen", ada), ada, "two")
	_, err := w.Store.Operator.Expire(t.Context())
	w.OK(err)
	if items := w.latest(10); len(items) != 1 || items[0].Text != "two" {
		t.Errorf("latest: %+v", items)
	}
}
