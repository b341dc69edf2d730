package blog_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestVotesThatMeet(t *testing.T) {
	t.Run("none of four hundred voters is kept too long", bubble(everyVoterHasTime))
	t.Run("votes and withdrawals of two processes on one post all count", bubble(votesOfTwoProcessesCount))
}

const voteLatency = 10 * time.Millisecond

// votePatience is what the web role gives a request.
const votePatience = 10 * time.Second

func voter(i int) domain.UserName { return domain.UserName(fmt.Sprintf("voter%d", i)) }

func everyVoterHasTime(t *testing.T, w *world) {
	const voters = 400
	blog := w.Post(w.Create("garden", ada), ada, "text")
	w.OK(w.Store.Posts.Vote(t.Context(), blog.Channel, blog.ID, eve)) // puts up who may act
	w.OK(w.Store.Posts.Unvote(t.Context(), blog.Channel, blog.ID, eve))
	w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		time.Sleep(voteLatency)
		return send(ctx)
	})
	ctx, cancel := context.WithTimeout(t.Context(), votePatience)
	defer cancel()
	drivertest.Together(voters, func(i int) {
		if err := w.Faulty.Posts.Vote(ctx, blog.Channel, blog.ID, voter(i)); err != nil {
			t.Errorf("voter %d: %v", i, err)
		}
	})
	// No request meets another, so that no vote is sent twice.
	if n := w.Calls.Load(); n != 5*voters {
		t.Errorf("%d calls, want three reads and two transactions of each voter", n)
	}
	if got := w.rating(blog); got != voters {
		t.Errorf("rated %d, want %d", got, voters)
	}
	w.MustBeSound()
}

func votesOfTwoProcessesCount(t *testing.T, w *world) {
	blog := w.Post(w.Create("garden", ada), ada, "text")
	w.OK(w.Store.Posts.Vote(t.Context(), blog.Channel, blog.ID, ada)) // puts up who may act
	meets := func(other func() error) {
		w.Arm(drivertest.Only(transacts, storetest.Before(1, func() { w.OK(other()) })))
	}
	meets(func() error { return w.Store.Posts.Vote(t.Context(), blog.Channel, blog.ID, eve) })
	w.OK(w.Faulty.Posts.Vote(t.Context(), blog.Channel, blog.ID, grace))
	if got := w.rating(blog); got != 3 {
		t.Errorf("after votes that met, rated %d, want 3", got)
	}
	meets(func() error { return w.Store.Posts.Unvote(t.Context(), blog.Channel, blog.ID, eve) })
	w.OK(w.Faulty.Posts.Unvote(t.Context(), blog.Channel, blog.ID, grace))
	if got := w.rating(blog); got != 1 {
		t.Errorf("after withdrawals that met, rated %d, want 1", got)
	}
	w.MustBeSound()
}

func (w *world) rating(blog domain.Blog) int64 {
	w.T.Helper()
	now, err := w.Store.Posts.Get(w.T.Context(), blog.Channel, blog.ID)
	w.OK(err)
	return now.Rating
}
