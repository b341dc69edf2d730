package storage_test

import (
	"fmt"
	"testing"

	"microblogging/domain"
)

func (w *world) rating(blog domain.Blog) int64 {
	w.t.Helper()
	now, err := w.store.Blog(w.t.Context(), blog.Channel, blog.ID)
	w.ok(err)
	return now.Rating
}

func TestVote(t *testing.T) {
	t.Run("every voter is counted", everyVoterIsCounted)
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
