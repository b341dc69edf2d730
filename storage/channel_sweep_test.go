package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestChannelSweep(t *testing.T) {
	t.Run("deletion that overtakes a post leaves no orphan", overtakenPostLeavesNoOrphan)
	t.Run("post that lands within the deletion leaves no orphan", postWithinDeletionLeavesNoOrphan)
	t.Run("stalled post lands in no other incarnation", stalledPostSparesNextIncarnation)
	t.Run("stalled step spares the next incarnation", stalledStepSparesNextIncarnation)
	t.Run("worker that wakes up late removes nothing", lateWorkerRemovesNothing)
	t.Run("fault stops no deletion for good", sweepFaultStopsNoDeletion)
	t.Run("posts at once with a deletion leave no orphan", postsDuringDeletionLeaveNoOrphan)
	t.Run("channel of more than a page is emptied", largeChannelIsEmptied)
	t.Run("both rows of a subscription go wherever the worker dies", sweepRemovesBothSubscriptionRows)
}

// Any number of steps of the deletion come between any two calls of a post. An
// acknowledged post can be read until the sweep deletes it. Then nothing of it is
// left.
func overtakenPostLeavesNoOrphan(t *testing.T) {
	for steps := range stages {
		eachCall(t, fmt.Sprintf("is overtaken by %d steps", steps), func(w *world, n int) {
			channel := w.create("garden", ada)
			w.post(channel, grace, "earlier")
			w.arm(before(n, func() { w.advance(channel, steps) }))
			_, created, err := w.faulty.Post(w.t.Context(), posting(channel, grace, "late"))
			switch {
			case err == nil && !created:
				w.t.Error("posting reports that an earlier try made the post")
			case err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound):
				w.t.Errorf("posting reports %v", err)
			case err == nil && !slices.Contains(w.texts(channel.Ref()), "late"):
				w.t.Error("an acknowledged post cannot be read")
			}
			if w.calls.Load() < int64(n) {
				return // nothing was overtaken
			}
			w.finishDeletion(channel, steps)
			w.mustKeepTheNextIncarnation(channel, steps >= 6)
		})
	}
}

// The other way round, a post lands between any two calls of the deletion.
func postWithinDeletionLeavesNoOrphan(t *testing.T) {
	eachCall(t, "of the cascade is overtaken by a post", func(w *world, n int) {
		channel := w.create("garden", ada)
		w.post(channel, grace, "earlier")
		acknowledged := false
		w.arm(before(n, func() {
			_, _, err := w.store.Post(w.t.Context(), posting(channel, grace, "late"))
			acknowledged = err == nil
			if err != nil && !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
				w.t.Errorf("posting reports %v", err)
			}
			if acknowledged && !slices.Contains(w.texts(channel.Ref()), "late") {
				w.t.Error("an acknowledged post cannot be read")
			}
		}))
		for _, step := range cascade(w.faulty, channel.Ref()) {
			w.ok(step(w.t.Context()))
		}
		w.mustKeepTheNextIncarnation(channel, false)
	})
}

// A request to post may stay in the network while the channel is deleted and its name
// is taken again.
func stalledPostSparesNextIncarnation(t *testing.T) {
	for steps := range stages {
		t.Run(fmt.Sprintf("after %d steps", steps), func(t *testing.T) {
			eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
				channel := w.create("garden", ada)
				w.post(channel, grace, "earlier")
				_, _, err := w.faulty.Post(w.t.Context(), posting(channel, grace, "late"))
				w.advance(channel, steps)
				w.arrive(late)
				if steps < 2 && err == nil && !slices.Contains(w.texts(channel.Ref()), "late") {
					w.t.Error("an acknowledged post cannot be read")
				}
				w.finishDeletion(channel, steps)
				w.mustKeepTheNextIncarnation(channel, steps >= 6)
			})
		})
	}
}

// A request of the deletion itself, however late, touches no row of the next
// incarnation.
func stalledStepSparesNextIncarnation(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		channel := w.create("garden", ada)
		for i := range 3 {
			w.post(channel, grace, text(i))
		}
		for _, step := range cascade(w.faulty, channel.Ref()) {
			if err := step(w.t.Context()); err != nil {
				break // this worker gives up, and another starts over
			}
		}
		w.delete(channel)
		w.advance(channel, stages)
		w.arrive(late)
		w.mustKeepTheNextIncarnation(channel, true)
	})
}

// A worker stalls before a call. It wakes up in the next incarnation, and goes on.
func lateWorkerRemovesNothing(t *testing.T) {
	eachCall(t, "is sent by a worker that slept", func(w *world, n int) {
		channel := w.create("garden", ada)
		for i := range 3 {
			w.post(channel, grace, text(i))
		}
		w.arm(before(n, func() {
			w.delete(channel)
			w.advance(channel, stages)
		}))
		for i, step := range cascade(w.faulty, channel.Ref()) {
			if err := step(w.t.Context()); err != nil {
				w.t.Errorf("step %d: %v", i+1, err)
			}
		}
		w.mustKeepTheNextIncarnation(channel, w.calls.Load() >= int64(n))
	})
}

// Each call of the deletion may have each fault. A worker that starts over finishes
// it.
func sweepFaultStopsNoDeletion(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		for i := range 3 {
			w.post(channel, grace, text(i))
		}
		bystander := w.create("garden.too", ada)
		w.post(bystander, grace, "kept")
		for _, step := range cascade(w.faulty, channel.Ref()) {
			if err := step(w.t.Context()); err != nil {
				break
			}
		}
		w.delete(channel)
		w.mustBeSound()
		if _, err := w.store.Channel(w.t.Context(), channel.Key()); !errors.Is(err, domain.ErrNotFound) {
			w.t.Errorf("the deleted channel: %v", err)
		}
		if got := w.texts(bystander.Ref()); !slices.Equal(got, []string{"kept"}) {
			w.t.Errorf("another channel has the posts %q", got)
		}
	})
}

func postsDuringDeletionLeaveNoOrphan(t *testing.T) {
	w := newWorld(t)
	for round := range 10 {
		channel := w.create("garden", ada)
		atOnce(9, func(i int) {
			if i == 0 {
				w.delete(channel)
				return
			}
			for n := range 20 {
				_, _, err := w.store.Post(t.Context(), posting(channel, grace, fmt.Sprintf("%d of %d", n, i)))
				if err != nil {
					if !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
						t.Error(err)
					}
					return
				}
			}
		})
		if rows := w.rows("Blogs"); len(rows) != 0 {
			t.Fatalf("round %d: rows are left: %v", round, rows)
		}
	}
	w.mustBeSound()
}

func largeChannelIsEmptied(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	var batch []driver.Operation
	for i := range 2500 {
		batch = append(batch, driver.Insert(fmt.Sprintf("once!%05d", i), driver.String("Incarnation", channel.Incarnation)))
		if len(batch) == driver.MaxOperations {
			w.ok(w.table("Blogs").Transact(t.Context(), string(channel.Key()), batch...))
			batch = nil
		}
	}
	w.delete(channel)
	w.mustKeepTheNextIncarnation(channel, false)
}

func sweepRemovesBothSubscriptionRows(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		kept := w.create("kept", ada)
		for i := range 5 {
			user := domain.UserName(fmt.Sprintf("reader%d", i))
			w.ok(w.store.Subscribe(w.t.Context(), channel, user))
			w.ok(w.store.Subscribe(w.t.Context(), kept, user))
		}
		for _, step := range cascade(w.faulty, channel.Ref()) {
			if err := step(w.t.Context()); err != nil {
				break // the worker dies
			}
		}
		w.delete(channel)
		for _, row := range w.rows("Subscriptions") {
			if row.Row != string(kept.Key())+"!"+string(kept.Incarnation) {
				t.Errorf("the deletion left %s of %s", row.Row, row.Partition)
			}
		}
		if n, _, err := w.store.Subscribers(w.t.Context(), kept.Ref()); n != 6 || err != nil {
			t.Errorf("another channel has %d subscribers (%v), want its owner and 5 more", n, err)
		}
		w.mustBeSound()
	})
}
