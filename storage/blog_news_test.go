package storage_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestNews(t *testing.T) {
	t.Run("counts the posts that are newer than a post", bubble(newsAreNewerThanAPost))
	t.Run("of a feed come a few channels at a time", bubble(feedNewsComeAFewChannelsAtATime))
	t.Run("of a feed leave out a channel that is gone", bubble(feedNewsLeaveOutWhatIsGone))
}

func newsAreNewerThanAPost(t *testing.T, w *world) {
	garden := w.create("garden", ada)
	var posts []domain.Blog
	for i := range 30 {
		time.Sleep(time.Second)
		posts = append(posts, w.post(garden, ada, fmt.Sprint(i)))
	}
	for i, want := range map[int]int{29: 0, 28: 1, 20: 9, 9: 20, 8: storage.MaxNews, 0: storage.MaxNews} {
		if n, err := w.store.News(t.Context(), garden.Ref(), posts[i].ID); err != nil || n != want {
			t.Errorf("%d posts are newer than post %d, %v, want %d", n, i, err, want)
		}
	}
	if n, err := w.store.News(t.Context(), w.create("empty", ada).Ref(), ""); err != nil || n != 0 {
		t.Errorf("%d posts in an empty channel, %v", n, err)
	}
	w.post(w.create("one", ada), ada, "first")
	if n, err := w.store.News(t.Context(), domain.ChannelRef{Key: "one"}, ""); err != nil || n != 1 {
		t.Errorf("%d posts in a channel that was empty, %v", n, err)
	}
}

func feedNewsComeAFewChannelsAtATime(t *testing.T, w *world) {
	first := w.post(w.create("c00", ada), ada, "first")
	time.Sleep(time.Second)
	for i := 1; i < 20; i++ {
		w.post(w.create(fmt.Sprintf("c%02d", i), ada), ada, "new")
	}
	w.post(w.create("of-grace", grace), grace, "not subscribed")
	total, after := 0, ""
	for calls := 1; ; calls++ {
		n, next, err := w.store.FeedNews(t.Context(), ada, first.ID, after)
		w.ok(err)
		total += n
		if after = next; after == "" {
			if calls != 3 || total != 19 {
				t.Errorf("%d posts after %d calls, want 19 after 3", total, calls)
			}
			break
		}
		var invalid *domain.InvalidError
		if _, _, err := w.store.FeedNews(t.Context(), grace, first.ID, after); !errors.As(err, &invalid) {
			t.Errorf("ada's cursor for grace: %v", err)
		}
	}
}

func feedNewsLeaveOutWhatIsGone(t *testing.T, w *world) {
	stays, goes, marked := w.create("stays", ada), w.create("goes", ada), w.create("marked", ada)
	for _, channel := range []domain.Channel{stays, goes, marked} {
		w.post(channel, ada, "new")
		if channel.Owner != grace {
			w.ok(w.store.Subscribe(t.Context(), channel, grace))
		}
	}
	w.delete(goes)
	w.post(w.create("goes", ada), ada, "of another channel of that name")
	w.ask(marked)
	if n, _, err := w.store.FeedNews(t.Context(), grace, "", ""); err != nil || n != 1 {
		t.Errorf("%d new posts, %v, want the one of %s", n, err, stays.Name)
	}
}
