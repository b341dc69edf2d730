package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestGate(t *testing.T) {
	t.Run("late request does not open a gate again", lateRequestNeverReopensGate)
	t.Run("a post is not found once another channel has its channel's name", postOfFormerChannel)
	t.Run("late copies of all requests do not open a gate again", lateCopiesNeverReopenGate)
}

// A request of the creation is delivered late, after the channel was deleted. Its name
// is free, or taken again. Then a post that stalled before its only call, and a worker
// that slept between any two steps, must not find the gate of the former incarnation.
func lateRequestNeverReopensGate(t *testing.T) {
	for _, another := range []bool{false, true} {
		for steps := range 5 {
			t.Run(fmt.Sprintf("another incarnation %v, and a worker slept after step %d", another, steps), func(t *testing.T) {
				eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
					made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
					if err != nil {
						return // nobody knows this incarnation
					}
					w.post(made, grace, "earlier")
					w.delete(made)
					if another {
						w.advance(made, stages)
					}
					w.arrive(late)
					if _, _, err := w.store.Post(w.t.Context(), posting(made, grace, "stalled")); err == nil {
						w.t.Error("a post was acknowledged after the channel's end")
					}
					for _, step := range cascade(w.store, made.Ref())[steps:] {
						if err := step(w.t.Context()); err != nil {
							break // the worker would start over
						}
					}
					w.reconcile()
					w.mustKeepTheNextLoosely(made, another)
				})
			})
		}
	}
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
			_, err := w.editBy(w.faulty, b, domain.Any[domain.Revision](), "edited")
			return err
		},
		"deletion": func(w *world, c domain.Channel, b domain.Blog) error {
			return w.faulty.DeleteBlog(w.t.Context(), c, b.ID, ada, domain.Any[domain.Revision]())
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

// Copies of all requests arrive: of the reservation and of the swap that opens the
// gate.
func lateCopiesNeverReopenGate(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		hook, arrive := copied()
		w.arm(hook)
		made, err := w.faulty.CreateChannel(t.Context(), w.channel("garden", ada))
		w.ok(err)
		w.delete(made)
		w.advance(made, stages)
		arrive(t.Context())
		if w.has("garden", openGateRow(made.Incarnation)) {
			t.Error("the gate of the former incarnation is open")
		}
		w.mustKeepTheNextIncarnation(made, true)
	})
}
