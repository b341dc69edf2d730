package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestGate(t *testing.T) {
	t.Run("a post is not found once another channel has its channel's name", postOfFormerChannel)
}

// Whoever names a post names its incarnation too. The post is gone, and
// domain.ErrConflict would say that it has changed.
func postOfFormerChannel(t *testing.T) {
	for name, change := range map[string]func(w *world, channel domain.Channel, b domain.Blog) error{
		"vote": func(w *world, _ domain.Channel, b domain.Blog) error {
			return w.faulty.Vote(w.t.Context(), b.Channel, b.ID, grace)
		},
		"vote withdrawn": func(w *world, _ domain.Channel, b domain.Blog) error {
			return w.faulty.Unvote(w.t.Context(), b.Channel, b.ID, grace)
		},
		"edit": func(w *world, _ domain.Channel, b domain.Blog) error {
			_, err := w.editBy(w.faulty, b, anyRevision, "edited")
			return err
		},
		"deletion": func(w *world, c domain.Channel, b domain.Blog) error {
			return w.faulty.DeleteBlog(w.t.Context(), c, b.ID, ada, anyRevision)
		},
	} {
		eachCall(t, "of a "+name+" comes after another channel", func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, ada, "text")
			w.arm(before(n, func() {
				w.delete(channel)
				w.create("garden", ada)
			}))
			if err := change(w, channel, blog); err != nil && (!errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrConflict)) {
				w.t.Errorf("answered with %v, want %v", err, domain.ErrNotFound)
			}
			w.finish(w.messages())
			w.mustBeSound()
		})
	}
}
