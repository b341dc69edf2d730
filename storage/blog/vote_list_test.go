package blog_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestVotedOn(t *testing.T) {
	t.Run("knows the posts that the user votes for, in one request", votedOnKnowsOnesOwnVotes)
	t.Run("reads no more than a page, however many votes there are", votedOnReadsNoMoreThanAPage)
}

func votedOnKnowsOnesOwnVotes(t *testing.T) {
	w := newWorld(t)
	posts := w.PostAll(w.Create("garden", ada), storetest.NewPosts(w.ReadChannel("garden"), 5))
	for i, by := range map[int]domain.UserName{1: grace, 3: grace, 2: eve} {
		w.OK(w.Store.Posts.Vote(w.T.Context(), posts[i].Channel, posts[i].ID, by))
	}
	w.wantVotedOn(posts, grace, 1, 3)
	if !blog.SameVotes(posts, posts[1:]) || blog.SameVotes(posts, posts[2:]) || blog.SameVotes(posts, posts[:3]) {
		t.Error("the votes are not the same exactly if the oldest and the newest post with a vote are")
	}
	w.Arm(drivertest.Pass)
	among, err := w.Faulty.Posts.VotedAmong(t.Context(), posts, grace)
	if n := w.Calls.Load(); err != nil || len(among) != 2 || !among[posts[1].ID] || !among[posts[3].ID] || n != 3 {
		t.Errorf("among the posts, grace votes for %v in %d requests, %v; want those two in 3", among, n, err)
	}
	if among, err = w.Store.Posts.VotedAmong(t.Context(), posts, ""); err != nil || len(among) > 0 {
		t.Errorf("a visitor who is not signed in votes for %v, %v", among, err)
	}
	w.wantVotedOn(posts, ada)
}

// A post with many votes hides what the user thinks of the older ones.
func votedOnReadsNoMoreThanAPage(t *testing.T) {
	w := newWorld(t)
	posts := w.PostAll(w.Create("garden", ada), storetest.NewPosts(w.ReadChannel("garden"), 2))
	w.Vote(posts[1], 0, 260)
	for _, post := range posts {
		w.OK(w.Store.Posts.Vote(w.T.Context(), post.Channel, post.ID, "a_first_voter"))
	}
	w.wantVotedOn(posts, "a_first_voter", 1)
	for i := range 249 { // with the newer post, and before the older one, the list then has as many rows as are read
		w.OK(w.Store.Operator.ListVote(t.Context(), posts[1].Channel, domain.BlogID(fmt.Sprint(posts[1].ID, i)), "a_first_voter"))
	}
	if among, err := w.Store.Posts.VotedAmong(t.Context(), posts, "a_first_voter"); err != nil || len(among) != 2 {
		t.Errorf("with a long list, the user votes for %v, %v, want both posts", among, err)
	}
}

// wantVotedOn checks for which of the posts the user is known to vote, in one request.
func (w *world) wantVotedOn(posts []domain.Blog, by domain.UserName, which ...int) {
	w.T.Helper()
	want := map[domain.BlogID]bool{}
	for i, post := range posts {
		if slices.Contains(which, i) {
			want[post.ID] = true
		}
		var err error
		posts[i], err = w.Store.Posts.Get(w.T.Context(), post.Channel, post.ID)
		w.OK(err)
	}
	w.Arm(drivertest.Pass)
	voted, err := w.Faulty.Posts.VotedOn(w.T.Context(), posts[0].Channel, posts, by)
	if n := w.Calls.Load(); err != nil || !maps.Equal(voted, want) || n != 1 {
		w.T.Errorf("%s votes for %v in %d requests (%v), want %v in one", by, voted, n, err, want)
	}
}
