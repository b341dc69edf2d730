package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func (w *world) rating(blog domain.Blog) int64 {
	w.t.Helper()
	now, err := w.store.Blog(w.t.Context(), blog.Channel, blog.ID)
	w.ok(err)
	return now.Rating
}

func TestVote(t *testing.T) {
	t.Run("fault counts the vote once", voteFaultCountsOnce)
	t.Run("withdrawn vote counts no more whatever call fails", withdrawnVoteCountsNoMore)
	t.Run("late vote does not return after it was withdrawn", lateVoteDoesNotReturn)
	t.Run("index stays right whatever comes between its calls", voteKeepsIndexRight)
	t.Run("every voter is counted", everyVoterIsCounted)
}

func voteFaultCountsOnce(t *testing.T) {
	eachFault(t, func(w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace)
		if got := w.rating(blog); err == nil && got != 1 {
			t.Errorf("rated %d after an acknowledged vote, want 1", got)
		}
		w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, grace))
		if got := w.rating(blog); got != 1 {
			t.Errorf("rated %d after voting again, want 1", got)
		}
		w.mustBeSound()
	})
}

func withdrawnVoteCountsNoMore(t *testing.T) {
	eachFault(t, func(w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, grace))
		err := w.faulty.Unvote(w.t.Context(), blog.Channel, blog.ID, grace)
		if got := w.rating(blog); err == nil && got != 0 {
			t.Errorf("rated %d after the vote was withdrawn, want 0", got)
		}
		w.ok(w.store.Unvote(w.t.Context(), blog.Channel, blog.ID, grace))
		if got := w.rating(blog); got != 0 {
			t.Errorf("rated %d after withdrawing it again, want 0", got)
		}
		w.mustBeSound()
	})
}

func lateVoteDoesNotReturn(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		blog := w.post(w.create("garden", ada), ada, "text")
		if err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace); err == nil {
			w.ok(w.store.Unvote(w.t.Context(), blog.Channel, blog.ID, grace))
			w.arrive(late)
			if got := w.rating(blog); got != 0 {
				t.Errorf("rated %d, want 0", got)
			}
		}
		w.mustBeSound()
	})
}

// worksBesideVotes are what may come between the calls of a vote.
func worksBesideVotes() map[string]func(w *world, channel domain.Channel, blog domain.Blog) {
	return map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"another vote": func(w *world, _ domain.Channel, b domain.Blog) {
			w.ok(w.store.Vote(w.t.Context(), b.Channel, b.ID, eve))
		},
		"an edit": func(w *world, _ domain.Channel, b domain.Blog) {
			_, err := w.store.Edit(w.t.Context(), b.Channel, b.ID, ada, domain.Any[domain.Revision](), domain.Draft{Text: "edited"})
			w.ok(err)
		},
		"the post's deletion": func(w *world, c domain.Channel, b domain.Blog) {
			w.ok(w.store.DeleteBlog(w.t.Context(), c, b.ID, ada, domain.Any[domain.Revision]()))
		},
		"the channel's deletion": func(w *world, c domain.Channel, _ domain.Blog) { w.delete(c) },
		"the mark of its deletion": func(w *world, c domain.Channel, _ domain.Blog) {
			w.ok(cascade(w.store, c.Ref())[0](w.t.Context()))
		},
	}
}

func voteKeepsIndexRight(t *testing.T) {
	for name, work := range worksBesideVotes() {
		eachCall(t, "of a vote comes after "+name, func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, ada, "text")
			w.arm(before(n, func() { work(w, channel, blog) }))
			err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace)
			if err != nil && !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("the vote is answered with %v", err)
			}
			if _, readErr := w.store.Channel(w.t.Context(), channel.Key()); errors.Is(readErr, domain.ErrGone) {
				w.delete(channel)
			}
			w.finish(w.messages())
			w.mustBeSound()
		})
	}
}

func everyVoterIsCounted(t *testing.T) {
	w := newWorld(t)
	blog := w.post(w.create("garden", ada), ada, "text")
	const voters = 64
	atOnce(voters, func(i int) {
		if err := w.store.Vote(t.Context(), blog.Channel, blog.ID, domain.UserName(fmt.Sprintf("voter%d", i))); err != nil {
			t.Error(err)
		}
	})
	if got := w.rating(blog); got != voters {
		t.Errorf("rated %d, want %d", got, voters)
	}
	w.mustBeSound()
}
