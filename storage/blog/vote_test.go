package blog_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestVotesThatMeet(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, w *world, blog domain.Blog){
		"none of four hundred voters is kept too long":             everyVoterHasTime,
		"a voter who is gone has no vote, and no other vote fails": goneVoterHasNoVote,
	} {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			test(t, w, w.Post(w.Create("garden", ada), ada, "text"))
			w.MustBeSound()
		}))
	}
}

const voteLatency = 10 * time.Millisecond

// votePatience is what the web role gives a request.
const votePatience = 10 * time.Second

// slow makes each call take as long as a round trip.
func (w *world) slow() {
	w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		time.Sleep(voteLatency)
		return send(ctx)
	})
}

func voter(i int) domain.UserName { return domain.UserName(fmt.Sprintf("voter%d", i)) }

func everyVoterHasTime(t *testing.T, w *world, blog domain.Blog) {
	const voters = 400
	w.OK(w.Store.Posts.Vote(t.Context(), blog.Channel, blog.ID, eve)) // puts up who may act
	w.OK(w.Store.Posts.Unvote(t.Context(), blog.Channel, blog.ID, eve))
	w.slow()
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
}

// The second voter goes while the first one votes. A third waits behind.
func goneVoterHasNoVote(t *testing.T, w *world, blog domain.Blog) {
	w.slow()
	ctx, leave := context.WithCancel(t.Context())
	var errs [3]error
	for i, by := range []domain.UserName{eve, grace, ada} {
		w.Concurrent.Go(func() {
			errs[i] = w.Faulty.Posts.Vote([]context.Context{t.Context(), ctx, t.Context()}[i], blog.Channel, blog.ID, by)
		})
		synctest.Wait()
	}
	leave()
	w.Concurrent.Wait()
	if !errors.Is(errs[1], context.Canceled) {
		t.Errorf("the voter who went: %v", errs[1])
	}
	w.OK(errors.Join(errs[0], errs[2]))
	if got := w.rating(blog); got != 2 {
		t.Errorf("rated %d, want 2", got)
	}
}

func (w *world) rating(blog domain.Blog) int64 {
	w.T.Helper()
	now, err := w.Store.Posts.Get(w.T.Context(), blog.Channel, blog.ID)
	w.OK(err)
	return now.Rating
}
