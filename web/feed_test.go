package web_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestFeed(t *testing.T) {
	t.Run("a feed merges all subscriptions newest first", feedMergesAllSubscriptionsNewestFirst)
	t.Run("a feed has every post once whatever happens between its pages", feedHasEveryPostOnceWhateverHappensBetweenItsPages)
}

func feedMergesAllSubscriptionsNewestFirst(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	other := s.channel("Other", "eve")
	var channels []domain.Channel
	for _, name := range []string{"Engines", "Wheels", "Ärger"} {
		channels = append(channels, s.channel(name, "ada"))
	}
	s.subscribe("bob", channels...)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	for i := range 60 {
		channel := channels[rand.N(len(channels))]
		s.postOn(start.Add(time.Duration(i)*time.Minute), channel, fmt.Sprint(i))
		s.postOn(start.Add(time.Duration(i)*time.Minute), other, "not subscribed to")
		want = append([]string{fmt.Sprint(i)}, want...)
	}
	for _, limit := range []int{1, 7, 20, 59, 60, 100} {
		if got := s.listed(fmt.Sprintf("%s?limit=%d", feedPath, limit), "text", bearer(bob)); !slices.Equal(got, want) {
			t.Errorf("with limit %d: %q", limit, got)
		}
	}
	last := s.post(channels[2], "eve", "The last")
	a := s.do("GET", feedPath, bearer(bob)).want(200)
	if a.text("items.0.channel") != "Ärger" || a.text("items.0.userId") != "eve" || a.text("items.0.id") != string(last.ID) {
		t.Errorf("the feed starts with %v", a.get("items.0"))
	}
	if n := len(a.items("id")); n != 20 {
		t.Errorf("a page has %d posts by default", n)
	}
}

func feedHasEveryPostOnceWhateverHappensBetweenItsPages(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := newReading(t, rand.New(rand.NewPCG(seed, 0)))
			var read []domain.BlogID
			for after := ""; ; {
				a := r.do("GET", continued(fmt.Sprintf("%s?limit=%d", feedPath, 1+r.IntN(9)), after), bearer(r.token)).want(200)
				for _, id := range a.items("id") {
					read = append(read, domain.BlogID(id))
				}
				if after = a.text("next"); after == "" {
					break
				}
				r.disturb()
			}
			if !slices.IsSorted(read) || len(slices.Compact(slices.Clone(read))) != len(read) {
				t.Errorf("out of order, or twice: %q", read)
			}
			for id, there := range r.there {
				if there && !slices.Contains(read, id) {
					t.Errorf("post %s is missing", id)
				}
			}
		})
	}
}

// A reading is a feed that changes while a client reads it.
type reading struct {
	*site
	*rand.Rand
	token    string
	channels []domain.Channel
	// there holds the posts that existed before the first page, and whether they
	// still exist.
	there map[domain.BlogID]bool
	posts []domain.Blog
}

func newReading(t *testing.T, random *rand.Rand) *reading {
	r := &reading{site: newSite(t), Rand: random, there: make(map[domain.BlogID]bool)}
	r.token = r.signUp("bob")
	for i := range 8 {
		r.channels = append(r.channels, r.channel(fmt.Sprintf("Channel-%d", i), "ada"))
	}
	r.subscribe("bob", r.channels...)
	for range 120 {
		r.postAnywhere()
	}
	for _, post := range r.posts {
		r.there[post.ID] = true
	}
	return r
}

// postAnywhere makes a post with a random date, as an import does.
func (r *reading) postAnywhere() {
	r.Helper()
	on := time.Date(2026, 1, 1, 0, 0, r.IntN(1000), 0, time.UTC)
	r.posts = append(r.posts, r.postOn(on, r.channels[r.IntN(len(r.channels))], "text"))
}

// disturb makes changes that can happen between two pages.
func (r *reading) disturb() {
	r.Helper()
	for range 3 {
		r.postAnywhere()
	}
	r.post(r.channels[0], "ada", "the newest")
	switch r.IntN(6) {
	case 0: // a channel is being deleted, and perhaps is gone
		last := len(r.channels) - 1
		if last < 2 {
			return
		}
		channel := r.channels[last]
		r.channels = r.channels[:last]
		r.requestDeletion(channel)
		if r.IntN(2) == 0 {
			r.cascade(channel.Ref())
			r.subscribe("bob", r.channel(string(channel.Name), "ada"))
		}
		for _, post := range r.posts {
			if post.Channel == channel.Ref() {
				r.there[post.ID] = false
			}
		}
	case 1:
		post := r.posts[r.IntN(len(r.posts))]
		channel, err := r.store.Channels.Get(r.Context(), post.Channel.Key.Address())
		if err == nil && channel.Ref() == post.Channel {
			r.goneOrDone(r.store.Posts.Delete(r.Context(), channel, post.ID, "ada", domain.Any[domain.Revision]()))
			r.there[post.ID] = false
		}
	case 2:
		late := r.channel("Late-"+string(domain.NewRevision()), "ada")
		r.subscribe("bob", late)
		r.channels = append([]domain.Channel{late}, r.channels...)
	case 3:
		post := r.posts[r.IntN(len(r.posts))]
		r.goneOrDone(r.store.Posts.Vote(r.Context(), post.Channel, post.ID, "eve"))
	}
}

func (r *reading) goneOrDone(err error) {
	r.Helper()
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		r.Error(err)
	}
}
