package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

// enoughPosts make three rows each and so, with the owner's subscription, two
// transactions of a sweep.
const enoughPosts = 40

// faults are what befalls one call of a deletion: of the request to delete and
// of the worker that carries it out.
var faults = map[string]func(n int) drivertest.Hook{
	"that never arrives":                       drivertest.FailBefore,
	"whose reply is lost":                      drivertest.FailAfter,
	"that is sent twice":                       drivertest.SentTwice,
	"before which the process dies":            func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailBefore(n)) },
	"after which the process dies":             func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailAfter(n)) },
	"that is sent twice before a process dies": func(n int) drivertest.Hook { return deadFrom(n, drivertest.SentTwice(n)) },
}

// deadFrom fails every call after number n: nothing that a dead process would
// have done has an effect.
func deadFrom(n int, at drivertest.Hook) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > n {
			return drivertest.ErrInjected
		}
		return at(ctx, call, send)
	}
}

// renumber counts the calls from the moment that a test arms its fault.
func renumber(hook drivertest.Hook) (drivertest.Hook, *atomic.Int64) {
	var calls atomic.Int64
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		call.Seq = int(calls.Add(1))
		return hook(ctx, call, send)
	}, &calls
}

// callsOfADeletion is how many storage calls a deletion takes if nothing fails.
func callsOfADeletion(t *testing.T) (calls int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, enoughPosts)
		var counted *atomic.Int64
		w.hook, counted = renumber(drivertest.Pass)
		deleteWithFaults(w)
		calls = int(counted.Load())
		w.mustBeDeleted()
	})
	if calls < 20 {
		t.Fatalf("a deletion took %d calls: this test counts the wrong thing", calls)
	}
	return calls
}

// deleteWithFaults asks on the faulty side, lets a faulty worker try for a
// while, and then does on the sound side what is left: the user asks again and
// another worker takes over.
func deleteWithFaults(w *world) {
	w.t.Helper()
	askErr := w.ask(w.faulty)
	stop := w.start(w.faulty)
	w.until("the faulty worker has had its time", elapsed(3*testOptions.Lease))
	stop()
	if _, err := w.sound.Channel(w.t.Context(), w.victim.Key()); err == nil {
		if askErr == nil {
			w.t.Error("a channel can be read although its deletion was accepted")
		}
		if err := w.ask(w.sound); err != nil {
			w.t.Fatalf("asking again: %v", err)
		}
	}
	w.finish()
}

func TestNoFailedCallOfADeletionLeavesAnOrphanOrHurtsAnother(t *testing.T) {
	calls := callsOfADeletion(t)
	for name, fault := range faults {
		for n := 1; n <= calls; n++ {
			t.Run(fmt.Sprintf("call %d %s", n, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, enoughPosts)
					w.hook, _ = renumber(fault(n))
					deleteWithFaults(w)
					w.mustBeDeleted()
				})
			})
		}
	}
}

// A request can be delivered once more when everybody has long gone on: after
// the deletion, after the name was taken again, after somebody posted there.
func TestNoCallOfADeletionHurtsTheNextIncarnationWhenItArrivesLate(t *testing.T) {
	calls := callsOfADeletion(t)
	firsts := map[string]func(n int) drivertest.Hook{
		"once more":                     func(int) drivertest.Hook { return drivertest.Pass },
		"once more, its reply was lost": drivertest.FailAfter,
		"only then":                     drivertest.FailBefore,
	}
	for name, first := range firsts {
		for n := 1; n <= calls; n++ {
			t.Run(fmt.Sprintf("call %d arrives %s", n, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { arrivesLate(t, n, first(n)) })
			})
		}
	}
}

func arrivesLate(t *testing.T, n int, first drivertest.Hook) {
	w := newWorld(t, enoughPosts)
	hook, late := drivertest.ResentLater(n, first)
	w.hook, _ = renumber(hook)
	deleteWithFaults(w)

	again := w.create(string(w.victim.Name))
	posts := []domain.Blog{w.post(again, "first of the new life"), w.post(again, "second")}
	if _, err := late.Arrive(t.Context()); err != nil {
		t.Logf("the late request was refused: %v", err)
	}
	// What a late request can do is queue a message: the worker must see that
	// there is nothing left to do.
	stop := w.start(w.sound)
	w.until("the worker has seen the queue", elapsed(3*testOptions.Lease))
	stop()

	for _, blog := range posts {
		if _, err := w.sound.Blog(t.Context(), again.Ref(), blog.ID); err != nil {
			t.Errorf("a post of the new incarnation is lost: %v", err)
		}
	}
	page, err := w.sound.Blogs(t.Context(), again.Ref(), storage.BlogQuery{Limit: 10})
	if err != nil || len(page.Items) != len(posts) {
		t.Errorf("the new incarnation lists %d posts (%v), want %d", len(page.Items), err, len(posts))
	}
	w.mustBeSound()
}

func TestASweepInManyPagesByThreeWorkersLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 700)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		// The queue delivers the intent three times over.
		for range 2 {
			message := domain.Message{
				Kind: domain.MessageChannel, Channel: w.victim.Key(), Incarnation: w.victim.Incarnation,
				Name: w.victim.Name, By: owner, AskedOn: domain.Now(),
			}
			if err := w.sound.Messages().Send(t.Context(), message.Encode()); err != nil {
				t.Fatal(err)
			}
		}
		defer w.start(w.sound)()
		defer w.start(w.sound)()
		w.finish()
		w.mustBeDeleted()
	})
}

func TestADeletionSaysHowManyRowsItRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, enoughPosts)
		if err := w.ask(w.sound); err != nil {
			t.Fatal(err)
		}
		w.finish()
		d := w.deletion()
		if want := int64(3*enoughPosts + 1); d.RowsDeleted != want || d.Step != domain.StepRelease || d.FinishedOn.IsZero() {
			t.Errorf("deletion reads %+v, want %d rows, the last step and an end", d, want)
		}
	})
}
