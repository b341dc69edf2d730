package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestVotesThatMeet(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, w *world, blog domain.Blog){
		"four hundred voters share a few transactions":       votersShareTransactions,
		"a vote that is alone waits for nobody":              loneVoteWaitsForNobody,
		"each voter gets their own answer":                   eachVoterHasAnAnswer,
		"a user's two ballots share no transaction":          ballotsOfOneUserStayApart,
		"a leader who is gone fails nobody":                  goneLeaderFailsNobody,
		"a voter who is gone before their turn has no vote":  goneVoterHasNoVote,
		"a next leader who is gone passes the lead on":       goneNextLeaderPassesOn,
		"a panic reaches the leader, and the others go on":   panicReachesTheLeader,
		"a store that does not answer holds nobody for long": silentStoreHoldsNobody,
		"all learn that the channel is gone":                 allLearnThatTheChannelIsGone,
		"each is charged for the calls that carried it":      eachIsChargedForItsCalls,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				test(t, w, w.post(w.create("garden", ada), ada, "text"))
				synctest.Wait()
				if n := w.faulty.VotedPosts(); n != 0 {
					t.Errorf("%d posts are kept when nobody votes", n)
				}
				w.mustBeSound()
			})
		})
	}
}

const voteLatency = 10 * time.Millisecond

// slow makes each call take as long as a round trip. It counts the transactions.
func (w *world) slow() (transactions *atomic.Int64) {
	transactions = new(atomic.Int64)
	w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Write {
			transactions.Add(1)
		}
		time.Sleep(voteLatency)
		return send(ctx)
	})
	return transactions
}

func voter(i int) domain.UserName { return domain.UserName(fmt.Sprintf("voter%d", i)) }

// inOrder starts calls one after another, each when those before it wait. It returns a
// function that waits for their errors.
func inOrder(calls ...func() error) (wait func() []error) {
	errs, ended := make([]error, len(calls)), make(chan struct{}, len(calls))
	for i, call := range calls {
		go func() {
			defer func() { ended <- struct{}{} }()
			errs[i] = call()
		}()
		synctest.Wait()
	}
	return func() []error {
		for range calls {
			<-ended
		}
		return errs
	}
}

func votersShareTransactions(t *testing.T, w *world, blog domain.Blog) {
	const voters = 400
	transactions, began := w.slow(), time.Now()
	atOnce(voters, func(i int) {
		if err := w.faulty.Vote(t.Context(), blog.Channel, blog.ID, voter(i)); err != nil {
			t.Errorf("voter %d: %v", i, err)
		}
	})
	// The first may go with fewer than the others.
	if n, most := transactions.Load(), int64(voters/storage.MaxBallots+2); n > most {
		t.Errorf("%d transactions, want at most %d", n, most)
	}
	if took, most := time.Since(began), 12*voteLatency; took > most {
		t.Errorf("all took %s, want at most %s", took, most)
	}
	if got := w.rating(blog); got != voters {
		t.Errorf("rated %d, want %d", got, voters)
	}
}

func loneVoteWaitsForNobody(t *testing.T, w *world, blog domain.Blog) {
	w.slow()
	began := time.Now()
	w.ok(w.faulty.Vote(t.Context(), blog.Channel, blog.ID, grace))
	if took := time.Since(began); took != 2*voteLatency || w.calls.Load() != 2 {
		t.Errorf("%d calls in %s, want 2 in %s", w.calls.Load(), took, 2*voteLatency)
	}
}

// Of twenty voters, some have voted, some withdraw a vote, and some withdraw what they
// never gave.
func eachVoterHasAnAnswer(t *testing.T, w *world, blog domain.Blog) {
	const voters = 20
	for i := range voters {
		if i%2 == 0 {
			w.ok(w.store.Vote(t.Context(), blog.Channel, blog.ID, voter(i)))
		}
	}
	transactions := w.slow()
	atOnce(voters, func(i int) {
		cast := w.faulty.Vote
		if i%4 > 1 {
			cast = w.faulty.Unvote
		}
		if err := cast(t.Context(), blog.Channel, blog.ID, voter(i)); err != nil {
			t.Errorf("voter %d: %v", i, err)
		}
	})
	if n := transactions.Load(); n > 4 {
		t.Errorf("%d transactions", n)
	}
	for i := range voters {
		voted, err := w.store.Voted(t.Context(), blog.Channel, blog.ID, voter(i))
		w.ok(err)
		if voted != (i%4 <= 1) {
			t.Errorf("voter %d: the vote counts: %t", i, voted)
		}
	}
}

func ballotsOfOneUserStayApart(t *testing.T, w *world, blog domain.Blog) {
	transactions := w.slow()
	cast := func(vote func(context.Context, domain.ChannelRef, domain.BlogID, domain.UserName) error, by domain.UserName) func() error {
		return func() error { return vote(t.Context(), blog.Channel, blog.ID, by) }
	}
	for _, err := range inOrder(
		cast(w.faulty.Vote, eve), cast(w.faulty.Vote, grace), cast(w.faulty.Unvote, grace), cast(w.faulty.Vote, ada),
	)() {
		w.ok(err)
	}
	if n := transactions.Load(); n != 2 {
		t.Errorf("%d transactions, want 2", n)
	}
	if got := w.rating(blog); got != 2 {
		t.Errorf("rated %d after grace took her vote back, want 2", got)
	}
}

func goneLeaderFailsNobody(t *testing.T, w *world, blog domain.Blog) {
	w.slow()
	ctx, leave := context.WithCancel(t.Context())
	wait := inOrder(
		func() error { return w.faulty.Vote(ctx, blog.Channel, blog.ID, eve) },
		func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, grace) },
	)
	leave()
	if err := wait()[1]; err != nil {
		t.Errorf("the vote that waited: %v", err)
	}
	if got := w.rating(blog); got != 2 {
		t.Errorf("rated %d, want 2", got)
	}
}

// The second voter comes when a transaction is under way, and goes before the next.
func goneVoterHasNoVote(t *testing.T, w *world, blog domain.Blog) {
	w.slow()
	ctx, leave := context.WithCancel(t.Context())
	leader := inOrder(func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, eve) })
	time.Sleep(voteLatency + voteLatency/2)
	voter := inOrder(func() error { return w.faulty.Vote(ctx, blog.Channel, blog.ID, grace) })
	leave()
	synctest.Wait()
	if err := voter()[0]; !errors.Is(err, context.Canceled) {
		t.Errorf("the voter who went: %v", err)
	}
	w.ok(leader()[0])
	if got := w.rating(blog); got != 1 {
		t.Errorf("rated %d, want 1", got)
	}
}

// Two voters wait when the context of the first ends at the very moment of its turn.
func goneNextLeaderPassesOn(t *testing.T, w *world, blog domain.Blog) {
	for range 20 { // both may be ready, and then either is chosen
		w.slow()
		leader := inOrder(func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, eve) })
		time.Sleep(voteLatency + voteLatency/2)
		ctx, leave := context.WithTimeout(t.Context(), voteLatency/2)
		wait := inOrder(
			func() error { return w.faulty.Vote(ctx, blog.Channel, blog.ID, grace) },
			func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, ada) },
		)
		w.ok(leader()[0])
		if errs := wait(); errs[1] != nil || errs[0] != nil && !errors.Is(errs[0], context.DeadlineExceeded) {
			t.Errorf("the two that waited: %v", errs)
		}
		leave()
		for _, by := range []domain.UserName{eve, grace, ada} {
			w.ok(w.store.Unvote(t.Context(), blog.Channel, blog.ID, by))
		}
	}
}

func panicReachesTheLeader(t *testing.T, w *world, blog domain.Blog) {
	for n := 1; n <= 2; n++ { // the read, the transaction
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			time.Sleep(voteLatency)
			if call.Seq == n {
				panic("a bug of a library")
			}
			return send(ctx)
		})
		var value any
		wait := inOrder(
			func() (err error) {
				value, err = caught(func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, eve) })
				return err
			},
			func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, grace) },
		)
		err := wait()[1]
		if value != "a bug of a library" {
			t.Errorf("call %d: the leader caught %v", n, value)
		}
		// Only a vote that was in the transaction suffers.
		if failed := err != nil; failed != (n == 2) || failed && !strings.Contains(err.Error(), "panicked") {
			t.Errorf("call %d: the other voter got %v", n, err)
		}
	}
	w.ok(w.store.Vote(t.Context(), blog.Channel, blog.ID, eve))
}

func silentStoreHoldsNobody(t *testing.T, w *world, blog domain.Blog) {
	w.arm(func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
		<-ctx.Done()
		return ctx.Err()
	})
	began := time.Now()
	atOnce(8, func(i int) {
		if err := w.faulty.Vote(t.Context(), blog.Channel, blog.ID, voter(i)); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("voter %d: %v", i, err)
		}
	})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("all took %s", took)
	}
}

func allLearnThatTheChannelIsGone(t *testing.T, w *world, blog domain.Blog) {
	channel, err := w.store.Channel(t.Context(), blog.Channel.Key)
	w.ok(err)
	w.slow()
	wait := inOrder(
		func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, eve) },
		func() error { return w.faulty.Vote(t.Context(), blog.Channel, blog.ID, grace) },
	)
	time.Sleep(voteLatency + voteLatency/2) // the post has been read
	w.ok(cascade(w.store, channel.Ref())[0](t.Context()))
	w.ok(cascade(w.store, channel.Ref())[1](t.Context()))
	for i, err := range wait() {
		if !errors.Is(err, domain.ErrGone) {
			t.Errorf("voter %d: %v", i, err)
		}
	}
	w.delete(channel)
}

func eachIsChargedForItsCalls(t *testing.T, w *world, blog domain.Blog) {
	w.slow()
	ledgers := make([]storage.Ledger, 2)
	vote := func(i int) func() error {
		ledgers[i].List(10)
		return func() error {
			return w.faulty.Vote(ledgers[i].Context(t.Context()), blog.Channel, blog.ID, voter(i))
		}
	}
	leader := inOrder(vote(0))
	time.Sleep(voteLatency / 2)
	follower := inOrder(vote(1))
	w.ok(errors.Join(leader()[0], follower()[0]))
	for i, want := range []time.Duration{2 * voteLatency, voteLatency * 3 / 2} {
		totals, calls := ledgers[i].Totals(), ledgers[i].Calls()
		if totals.Calls != 2 || totals.Time != want || len(calls) != 2 {
			t.Errorf("ballot %d: %d calls in %s, %d listed; want 2 in %s", i, totals.Calls, totals.Time, len(calls), want)
		}
		if purpose := calls[1].Purpose; !strings.Contains(purpose, "2 votes") || strings.Contains(fmt.Sprint(calls), "voter") {
			t.Errorf("ballot %d: the transaction %q", i, purpose)
		}
	}
}
