package reader_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

// digestDay is the day of the digests in tests.
var digestDay = domain.Day{
	Date: "2026-03-04", Zone: "UTC",
	From:  time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
	Until: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC),
}

func TestDigest(t *testing.T) {
	t.Run("pages of any size make up the digest", digestPagesMakeUpTheDigest)
	t.Run("post that stays comes once whatever happens between pages", digestHasEachPostThatStaysOnce)
	t.Run("post deleted while a page is read is left out", digestLeavesOutADeletedPost)
	t.Run("of many channels has a bound of calls, and goes on or says that it is partial", bubble(digestHasABound))
	t.Run("of several days lists a post of each channel before a second of any", summaryIsFairToChannels)
}

// A digestWorld has channels that ada subscribes to, with posts around digestDay.
type digestWorld struct {
	*world
	*rand.Rand
	channels []domain.Channel
	posts    []domain.Blog
}

func newDigestWorld(w *world, seed uint64) *digestWorld {
	d := &digestWorld{world: w, Rand: rand.New(rand.NewPCG(seed, 0))}
	// A cursor may not be longer than a key.
	for _, name := range []string{"channel-0", "channel-1", "channel-2", "quiet", strings.Repeat("ж", domain.MaxChannelName)} {
		d.channels = append(d.channels, w.Create(name, ada))
	}
	for range 60 {
		d.postAnywhere()
	}
	return d
}

// postAnywhere makes a post of up to three votes, most likely on digestDay.
func (d *digestWorld) postAnywhere() {
	d.T.Helper()
	on := digestDay.From.Add(time.Duration(d.IntN(36)-6) * time.Hour)
	blog := d.Dated(d.channels[[]int{0, 1, 2, 4}[d.IntN(4)]], on, string(domain.NewRevision()))
	d.Vote(blog, 0, int64(d.IntN(4)))
	d.posts = append(d.posts, blog)
}

// digest reads all pages, and calls meanwhile between two pages. It returns the ids of
// the posts, after the name of their channel.
func (d *digestWorld) digest(store *storage.Parts, limit int, meanwhile func()) (ids []string) {
	d.T.Helper()
	for after := ""; ; {
		page, err := store.Feeds.Digest(d.T.Context(), ada, digestDay, after, limit)
		d.OK(err)
		n := 0
		for _, channel := range page.Items {
			n += len(channel.Items)
			for _, blog := range channel.Items {
				ids = append(ids, string(channel.Name)+"/"+string(blog.ID))
			}
		}
		if n > limit || n < limit && page.Next != "" {
			d.T.Fatalf("a page of %d has %d posts and the continuation %q", limit, n, page.Next)
		}
		if after = page.Next; after == "" {
			return ids
		}
		meanwhile()
	}
}

// want returns what a digest lists, as the lists of the channels have it.
func (d *digestWorld) want() []string {
	return slices.Concat(d.ranked(digestDay)...)
}

// ranked returns the posts of each channel on a day, the most popular first.
func (d *digestWorld) ranked(day domain.Day) (channels [][]string) {
	for _, channel := range d.channels {
		page, err := d.Store.Posts.List(d.T.Context(), channel.Ref(), storage.BlogQuery{Since: day.From, Until: day.Until, Limit: 100})
		d.OK(err)
		posts := page.Items
		slices.SortStableFunc(posts, func(a, b domain.Blog) int { return cmp.Compare(b.Rating, a.Rating) })
		var ids []string
		for _, blog := range posts {
			ids = append(ids, string(channel.Name)+"/"+string(blog.ID))
		}
		channels = append(channels, ids)
	}
	return channels
}

func digestPagesMakeUpTheDigest(t *testing.T) {
	for seed := range uint64(4) {
		bubble(func(t *testing.T, w *world) {
			d := newDigestWorld(w, seed)
			want := d.want()
			for _, limit := range []int{1, 2, 7, len(want) - 1, len(want), len(want) + 1} {
				if got := d.digest(w.Store, limit, storetest.Nothing); !slices.Equal(got, want) {
					t.Errorf("seed %d, pages of %d: %q, want %q", seed, limit, got, want)
				}
			}
			page, err := w.Store.Feeds.Digest(t.Context(), ada, digestDay.Before(), "", 100)
			w.OK(err)
			for _, channel := range page.Items {
				if channel.First != 1 || channel.Total != len(channel.Items) {
					t.Errorf("a whole channel is %+v", channel)
				}
			}
		})(t)
	}
}

func digestHasEachPostThatStaysOnce(t *testing.T) {
	for seed := range uint64(6) {
		bubble(func(t *testing.T, w *world) {
			d := newDigestWorld(w, seed)
			stays := map[string]bool{}
			for _, id := range d.want() {
				stays[id] = true
			}
			got := d.digest(w.Store, 3, func() {
				d.postAnywhere()
				i := d.IntN(len(d.posts))
				gone := d.posts[i]
				d.posts = slices.Delete(d.posts, i, i+1)
				name := slices.IndexFunc(d.channels, func(c domain.Channel) bool { return c.Ref() == gone.Channel })
				w.OK(w.Store.Posts.Delete(t.Context(), d.channels[name], gone.ID, domain.By(ada), storetest.AnyRevision))
				delete(stays, string(d.channels[name].Name)+"/"+string(gone.ID))
			})
			times := map[string]int{}
			for _, id := range got {
				times[id]++
			}
			for id, n := range times {
				if n > 1 {
					t.Errorf("seed %d: post %s comes %d times", seed, id, n)
				}
			}
			for id := range stays {
				if times[id] == 0 {
					t.Errorf("seed %d: post %s is missing", seed, id)
				}
			}
		})(t)
	}
}

// Two posts, one of them the last of its channel, are deleted before any call of the page.
func digestLeavesOutADeletedPost(t *testing.T) {
	eachCall(t, "comes after two posts were deleted", func(w *world, n int) {
		gone := map[domain.BlogID]domain.Channel{}
		for _, name := range []string{"garden", "harbour"} {
			channel := w.Create(name, ada)
			gone[w.Dated(channel, digestDay.From, "doomed").ID] = channel
			if name == "garden" {
				w.Dated(channel, digestDay.From.Add(time.Hour), "stays")
			}
		}
		w.Arm(storetest.Before(n, func() {
			for id, channel := range gone {
				w.OK(w.Store.Posts.Delete(w.T.Context(), channel, id, domain.By(ada), storetest.AnyRevision))
			}
		}))
		page, err := w.Faulty.Feeds.Digest(w.T.Context(), ada, digestDay, "", 10)
		w.OK(err)
		stays := 0
		for _, channel := range page.Items {
			if len(channel.Items) == 0 {
				w.T.Errorf("the page has %s without a post", channel.Name)
			}
			for _, blog := range channel.Items {
				if blog.Text == "stays" {
					stays++
				}
			}
		}
		if stays != 1 {
			w.T.Errorf("the post that stays is %d times on %+v", stays, page)
		}
	})
}

func digestHasABound(t *testing.T, w *world) {
	const more, perChannel, last = 5, 4, storage.MaxDigestChannels + 4
	long := digestDay
	long.Until = long.From.AddDate(3, 0, 0)
	for i := range storage.MaxDigestChannels + more {
		channel := w.Create(fmt.Sprintf("c%03d", i), ada)
		if i < 100 || i == last {
			w.Dated(channel, digestDay.From.Add(time.Hour), fmt.Sprint("post ", i))
		}
	}
	busy := w.Create("d", ada)
	w.Fill(busy, storage.MaxRanked+1, digestDay.From, func(i int) string { return fmt.Sprint("number ", i) })
	calls := atomic.Int64{}
	w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		calls.Add(1)
		return send(ctx)
	})
	read := func(after string, limit int) (names []string, next string) {
		calls.Store(0)
		page, err := w.Faulty.Feeds.Digest(t.Context(), ada, long, after, limit)
		w.OK(err)
		for _, channel := range page.Items {
			names = append(names, fmt.Sprint(channel.Name, " ", channel.Total))
		}
		return names, page.Next
	}
	// A page that is full looks no further.
	full, _ := read("", 20)
	if n := calls.Load(); len(full) != 20 || n > 64*perChannel {
		t.Errorf("%d channels in %d calls", len(full), n)
	}
	all, next := read("", 150)
	if n := calls.Load(); len(all) != 100 || next == "" || n > storage.MaxDigestChannels+100*perChannel {
		t.Errorf("%d channels and the continuation %q in %d calls", len(all), next, n)
	}
	rest, _ := read(next, 150)
	if want := []string{fmt.Sprint("c", last, " 1"), fmt.Sprint("d ", storage.MaxRanked)}; !slices.Equal(rest, want) {
		t.Errorf("goes on with %q, want %q", rest, want)
	}
	calls.Store(0)
	summaries, err := w.Faulty.Feeds.DigestSummaries(t.Context(), ada, []domain.Day{long}, 20, 50)
	w.OK(err)
	if n := calls.Load(); !summaries[0].Partial || summaries[0].Posts != 100 || n > storage.MaxDigestChannels+100*perChannel {
		t.Errorf("a feed of %d posts in %d calls, partial: %t", summaries[0].Posts, n, summaries[0].Partial)
	}
}

func summaryIsFairToChannels(t *testing.T) {
	days := []domain.Day{digestDay.After(), digestDay, digestDay.Before()}
	for seed := range uint64(3) {
		bubble(func(t *testing.T, w *world) {
			d := newDigestWorld(w, seed)
			for _, most := range [][2]int{{20, 50}, {20, 9}, {3, 50}, {3, 9}, {1, 2}, {1, 1}} {
				summaries, err := w.Store.Feeds.DigestSummaries(t.Context(), ada, days, most[0], most[1])
				w.OK(err)
				for i, day := range days {
					posts, channels, want := 0, 0, make([][]string, len(d.channels))
					ranked := d.ranked(day)
					for _, ids := range ranked {
						posts += len(ids)
						channels += min(len(ids), 1)
					}
					left := most[1]
					for rank := range most[0] {
						for c, ids := range ranked {
							if rank < len(ids) && left > 0 {
								want[c] = append(want[c], ids[rank])
								left--
							}
						}
					}
					var listed []string
					for _, channel := range summaries[i].Listed {
						for _, blog := range channel.Items {
							listed = append(listed, string(channel.Name)+"/"+string(blog.ID))
						}
					}
					if got := summaries[i]; got.Posts != posts || got.Channels != channels || !slices.Equal(listed, slices.Concat(want...)) {
						t.Errorf("%s, %v at most: %d posts in %d channels, want %d in %d, and lists %q, want %q",
							day.Date, most, got.Posts, got.Channels, posts, channels, listed, want)
					}
				}
			}
		})(t)
	}
}
