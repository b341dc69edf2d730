package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestVoteAll(t *testing.T) {
	t.Run("counts each ballot once whatever call fails", ballotsCountOnce)
	t.Run("late ballots do not return after they were withdrawn", lateBallotsDoNotReturn)
	t.Run("index stays right whatever comes between its calls", ballotsKeepIndexRight)
	t.Run("more ballots than fit go in several transactions", manyBallots)
	t.Run("a user who gives and withdraws ends without a vote", ballotsOfOneUser)
}

// giveAndTake has a ballot that is done already, one to give a vote, and one to withdraw
// one. The last two leave the rating as it was.
func giveAndTake(w *world) (blog domain.Blog, ballots []storage.Ballot) {
	w.t.Helper()
	blog = w.post(w.create("garden", ada), ada, "text")
	w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, grace))
	w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, eve))
	return blog, []storage.Ballot{{By: ada}, {By: grace, Withdraw: true}, {By: eve}}
}

func ballotsCountOnce(t *testing.T) {
	eachFault(t, func(w *world) {
		blog, ballots := giveAndTake(w)
		err := errors.Join(w.faulty.VoteAll(w.t.Context(), blog.Channel, blog.ID, ballots)...)
		if got := w.rating(blog); err == nil && got != 2 {
			t.Errorf("rated %d after acknowledged ballots, want 2", got)
		}
		w.ok(errors.Join(w.store.VoteAll(w.t.Context(), blog.Channel, blog.ID, ballots)...))
		if got := w.rating(blog); got != 2 {
			t.Errorf("rated %d after the same ballots again, want 2", got)
		}
		w.mustBeSound()
	})
}

func lateBallotsDoNotReturn(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		blog, ballots := giveAndTake(w)
		if errors.Join(w.faulty.VoteAll(w.t.Context(), blog.Channel, blog.ID, ballots)...) == nil {
			back := []storage.Ballot{{By: ada, Withdraw: true}, {By: eve, Withdraw: true}}
			w.ok(errors.Join(w.store.VoteAll(w.t.Context(), blog.Channel, blog.ID, back)...))
			w.arrive(late)
			if got := w.rating(blog); got != 0 {
				t.Errorf("rated %d, want 0", got)
			}
		}
		w.mustBeSound()
	})
}

func ballotsKeepIndexRight(t *testing.T) {
	for name, work := range worksBesideVotes() {
		eachCall(t, "comes after "+name, func(w *world, n int) {
			blog, ballots := giveAndTake(w)
			channel, err := w.store.Channel(w.t.Context(), blog.Channel.Key)
			w.ok(err)
			w.arm(before(n, func() { work(w, channel, blog) }))
			for _, err := range w.faulty.VoteAll(w.t.Context(), blog.Channel, blog.ID, ballots) {
				if err != nil && !errors.Is(err, domain.ErrNotFound) {
					t.Errorf("a ballot is answered with %v", err)
				}
			}
			if _, readErr := w.store.Channel(w.t.Context(), channel.Key()); errors.Is(readErr, domain.ErrGone) {
				w.delete(channel)
			}
			w.finish(w.messages())
			w.mustBeSound()
		})
	}
}

func manyBallots(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		ballots := make([]storage.Ballot, 2*storage.MaxBallots+1)
		for i := range ballots {
			ballots[i].By = voter(i)
		}
		w.arm(drivertest.Pass)
		w.ok(errors.Join(w.faulty.VoteAll(t.Context(), blog.Channel, blog.ID, ballots)...))
		if got, calls := w.rating(blog), w.calls.Load(); got != int64(len(ballots)) || calls != 6 {
			t.Errorf("rated %d with %d calls, want %d with 6", got, calls, len(ballots))
		}
		w.mustBeSound()
	})
}

func ballotsOfOneUser(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		ballots := []storage.Ballot{{By: eve}, {By: grace}, {By: eve, Withdraw: true}}
		w.ok(errors.Join(w.store.VoteAll(t.Context(), blog.Channel, blog.ID, ballots)...))
		voted, err := w.store.Voted(t.Context(), blog.Channel, blog.ID, eve)
		w.ok(err)
		if got := w.rating(blog); got != 1 || voted {
			t.Errorf("rated %d, and eve's vote counts: %t", got, voted)
		}
		w.mustBeSound()
	})
}
