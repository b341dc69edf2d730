package storage_test

import (
	"fmt"
	"testing"

	"microblogging/storage/drivertest"
)

func TestGate(t *testing.T) {
	t.Run("late request does not open a gate again", lateRequestNeverReopensGate)
	t.Run("late copies of all requests do not open a gate again", lateCopiesNeverReopenGate)
}

// A request of the creation is delivered once more after the whole life of the
// channel, when its name is free or taken again. Neither a post that stalled
// before its only call, nor a worker that slept between any two steps, may find
// the gate of the life before.
func lateRequestNeverReopensGate(t *testing.T) {
	for _, another := range []bool{false, true} {
		for steps := range 5 {
			t.Run(fmt.Sprintf("another life %v, and a worker slept after step %d", another, steps), func(t *testing.T) {
				eachStraggler(t, func(w *world, late *drivertest.Straggler) {
					made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
					if err != nil {
						return // nobody ever hears of this incarnation
					}
					w.post(made, grace, "earlier")
					w.delete(made)
					if another {
						w.live(made, lives)
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
					w.mustKeepLife(made, another)
				})
			})
		}
	}
}

// Not even if copies of the seed's insert and of the swap arrive both.
func lateCopiesNeverReopenGate(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		hook, arrive := copied()
		w.arm(hook)
		made, err := w.faulty.CreateChannel(t.Context(), w.channel("garden", ada))
		w.ok(err)
		w.delete(made)
		w.live(made, lives)
		arrive(t.Context())
		if w.has("garden", openGateRow(made.Incarnation)) {
			t.Error("the gate of the life before is open")
		}
		w.mustKeepTheNextLife(made, true)
	})
}
