package reader_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestFeed(t *testing.T) {
	t.Run("subscription that ended while a joiner was slow is on no digest", bubble(digestForgetsSlowJoiner))
	t.Run("page is filled from the channels that are left", bubble(feedFillsPageFromTheRest))
	t.Run("post that stays comes once whatever happens between pages", drivertest.Long(feedIsExactWhileChanging))
	t.Run("post that is deleted meanwhile hides none behind it", bubble(deletedPostHidesNoneBehindIt))
}

// endedWhileJoining leaves a user's row that says joined, of a subscription that ended: the
// last write of a slow request to join landed after that. The lab finds it (ablation joined).
func (w *world) endedWhileJoining(channel domain.Channel, user domain.UserName) {
	w.T.Helper()
	w.OK(w.Store.Subscriptions.Create(w.T.Context(), channel, user))
	w.OK(w.Store.Subscriptions.Delete(w.T.Context(), channel.Ref(), user))
	w.joinLate(channel, user)
}

// joinLate writes a user's row of a subscription.
func (w *world) joinLate(channel domain.Channel, user domain.UserName) {
	w.T.Helper()
	w.OK(w.Table("Subscriptions").Transact(w.T.Context(), string(user), driver.Replace(string(channel.Key())+"!"+string(channel.Incarnation), driver.Upsert,
		driver.String("Name", channel.Name), driver.String("State", "joined"), driver.String("Role", "reader"), driver.Time("SubscribedOn", domain.Now()))))
}

func (w *world) feed(user domain.UserName, limit int) (texts []string) {
	w.T.Helper()
	for _, item := range w.feedWhile(user, limit, storetest.Nothing) {
		texts = append(texts, item.Text)
	}
	return texts
}

func (w *world) feedWhile(user domain.UserName, limit int, meanwhile func()) []storage.FeedItem {
	w.T.Helper()
	return storetest.FullPages(w.World, limit, meanwhile, func(after string) (storage.Page[storage.FeedItem], error) {
		return w.Store.Feeds.List(w.T.Context(), user, after, limit)
	})
}

func thisDay() domain.Day {
	now := domain.Now()
	return domain.Day{From: now.Add(-time.Hour), Until: now.Add(time.Hour)}
}

func digestForgetsSlowJoiner(t *testing.T, w *world) {
	shown := func() int {
		digest, err := w.Store.Feeds.Digest(t.Context(), grace, thisDay(), "", 10)
		w.OK(err)
		return len(digest.Items)
	}
	channel := w.Create("garden", ada)
	w.Post(channel, ada, "hello")
	w.endedWhileJoining(channel, grace)
	if n := shown(); n != 0 {
		t.Errorf("%d shown of a channel without subscribers", n)
	}
	if there, err := w.Store.Subscriptions.Has(t.Context(), channel.Ref(), grace); err != nil || there {
		t.Errorf("the user's row is still there: %t, %v", there, err)
	}
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	if n := shown(); n != 1 {
		t.Errorf("%d shown after subscribing again, want 1", n)
	}
}

func feedFillsPageFromTheRest(t *testing.T, w *world) {
	var want []string
	channels := map[string]domain.Channel{}
	for _, name := range []string{"apples", "pears", "ended1", "ended2"} {
		channels[name] = w.Create(name, ada)
	}
	for i := range 12 {
		for _, name := range []string{"apples", "ended1", "pears", "ended2"} {
			time.Sleep(time.Second)
			text := fmt.Sprintf("%s %d", name, i)
			w.Post(channels[name], ada, text)
			if name == "apples" || name == "pears" {
				want = slices.Insert(want, 0, text)
			}
		}
	}
	for limit := 1; limit <= 25; limit += 4 {
		for name, channel := range channels {
			if name == "apples" || name == "pears" {
				w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
			} else {
				w.endedWhileJoining(channel, grace)
			}
		}
		if got := w.feed(grace, limit); !slices.Equal(got, want) {
			t.Errorf("with limit %d: %q, want %q", limit, got, want)
		}
	}
}

func deletedPostHidesNoneBehindIt(t *testing.T, w *world) {
	channel := w.Create("garden", grace)
	w.Post(channel, ada, "second")
	time.Sleep(time.Second)
	first := w.Post(channel, ada, "first")
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Row == "blog!"+string(first.ID) {
			w.OK(w.Store.Posts.Delete(ctx, channel, first.ID, domain.By(ada), domain.Any[domain.Revision]()))
		}
		return send(ctx)
	})
	page, err := w.Faulty.Feeds.List(t.Context(), grace, "", 1)
	w.OK(err)
	if len(page.Items) != 0 || page.Next == "" {
		t.Errorf("a page whose only post was deleted has %d posts and leads to %q", len(page.Items), page.Next)
	}
}

func feedIsExactWhileChanging(t *testing.T) {
	w, round := &world{storetest.New(t)}, 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		user, posts := domain.UserName(fmt.Sprint("user", round)), map[string]domain.Blog{}
		var channels []domain.Channel
		ids := func() []string { return slices.Sorted(maps.Keys(posts)) }
		change := func() {
			kind, which := rapid.IntRange(0, 9).Draw(rt, "change"), rapid.IntRange(0, 999).Draw(rt, "which")
			switch {
			case kind == 0 || len(channels) == 0:
				channel := w.Create("c"+strings.ToLower(string(domain.NewRevision())), ada)
				w.OK(w.Store.Subscriptions.Create(t.Context(), channel, user))
				channels = append(channels, channel)
			case kind == 1:
				at := which % len(channels)
				w.Delete(channels[at])
				maps.DeleteFunc(posts, func(_ string, b domain.Blog) bool { return b.Channel == channels[at].Ref() })
				channels = slices.Delete(channels, at, at+1)
			case kind == 2 && len(posts) > 0:
				post := posts[ids()[which%len(posts)]]
				w.OK(w.Store.Posts.Delete(t.Context(), w.ReadChannel(post.Channel.Key), post.ID, domain.By(grace), storetest.AnyRevision))
				delete(posts, string(post.ID))
			default: // with any date, as an import does
				on := time.Date(2026, 1, 1, 0, 0, which, 0, time.UTC)
				post := w.Dated(channels[which%len(channels)], on, string(domain.NewRevision()))
				posts[string(post.ID)] = post
			}
		}
		storetest.MustBeExact(rt, change, ids, func(limit int, meanwhile func()) (read []string) {
			for _, item := range w.feedWhile(user, limit, meanwhile) {
				read = append(read, string(item.ID))
			}
			return read
		})
	})
}
