package storage_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestVotedOn(t *testing.T) {
	t.Run("knows the posts that the user votes for, in one request", votedOnKnowsOnesOwnVotes)
	t.Run("reads no more than a page, however many votes there are", votedOnReadsNoMoreThanAPage)
}

func votedOnKnowsOnesOwnVotes(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	var posts []domain.Blog
	for i := range 5 {
		posts = append(posts, w.post(channel, ada, fmt.Sprint("text ", i)))
	}
	w.ok(w.store.Vote(w.t.Context(), channel.Ref(), posts[1].ID, grace))
	w.ok(w.store.Vote(w.t.Context(), channel.Ref(), posts[3].ID, grace))
	w.ok(w.store.Vote(w.t.Context(), channel.Ref(), posts[2].ID, eve))
	posts = w.reread(posts)
	voted, requests := w.votedOn(posts, grace)
	if want := []domain.BlogID{posts[1].ID, posts[3].ID}; !slices.Equal(slices.Sorted(maps.Keys(voted)), sorted(want)) {
		t.Errorf("grace votes for %v, want %v", voted, want)
	}
	if requests != 1 {
		t.Errorf("%d requests, want 1", requests)
	}
	if voted, _ := w.votedOn(posts, ada); len(voted) != 0 {
		t.Errorf("ada votes for %v, want none", voted)
	}
}

// A post with many votes hides what the user thinks of the older ones.
func votedOnReadsNoMoreThanAPage(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	older, newer := w.post(channel, ada, "older"), w.post(channel, ada, "newer")
	w.vote(newer, 0, 260)
	for _, post := range []domain.Blog{older, newer} {
		w.ok(w.store.Vote(w.t.Context(), channel.Ref(), post.ID, "a_first_voter"))
	}
	voted, requests := w.votedOn(w.reread([]domain.Blog{older, newer}), "a_first_voter")
	if !voted[newer.ID] || voted[older.ID] || requests != 1 {
		t.Errorf("%v in %d requests, want the newer post in one", voted, requests)
	}
}

func sorted(ids []domain.BlogID) []domain.BlogID {
	slices.Sort(ids)
	return ids
}

func (w *world) reread(posts []domain.Blog) []domain.Blog {
	w.t.Helper()
	now := make([]domain.Blog, len(posts))
	for i, post := range posts {
		var err error
		now[i], err = w.store.Blog(w.t.Context(), post.Channel, post.ID)
		w.ok(err)
	}
	return now
}

// votedOn also returns the number of requests to the store.
func (w *world) votedOn(posts []domain.Blog, by domain.UserName) (voted map[domain.BlogID]bool, requests int64) {
	w.t.Helper()
	w.arm(drivertest.Pass)
	voted, err := w.faulty.VotedOn(w.t.Context(), posts[0].Channel, posts, by)
	w.ok(err)
	return voted, w.calls.Load()
}
