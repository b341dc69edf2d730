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

func TestCascade(t *testing.T) {
	t.Run("no failed call leaves an orphan, hurts another channel or is miscounted", noFailedCallHurts)
	t.Run("no late call hurts the next incarnation", noLateCallHurts)
	t.Run("a worker that wakes up late hurts nothing", noLateWorkerHurts)
}

// enoughPosts make three rows each. With the owner's subscription, these are two
// transactions of a sweep.
const enoughPosts = 40

// faults are what can happen to one call of a deletion. The call is made by the
// request that asks for the deletion, or by the worker.
var faults = map[string]func(n int) drivertest.Hook{
	"that never arrives":                       drivertest.FailBefore,
	"whose reply is lost":                      drivertest.FailAfter,
	"that is sent twice":                       drivertest.SentTwice,
	"before which the process dies":            func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailBefore(n)) },
	"after which the process dies":             func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailAfter(n)) },
	"that is sent twice before a process dies": func(n int) drivertest.Hook { return deadFrom(n, drivertest.SentTwice(n)) },
}

// deadFrom fails every call after call n: a dead process has no effect.
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

// deleteWithFaults asks for the deletion on the faulty side and lets a faulty
// worker try for a while. Then the user asks again, and a sound worker does what
// is left.
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

func noFailedCallHurts(t *testing.T) {
	calls := callsOfADeletion(t)
	for name, fault := range faults {
		for n := 1; n <= calls; n++ {
			t.Run(fmt.Sprintf("call %d %s", n, name), bubble(func(t *testing.T) {
				w := newWorld(t, enoughPosts)
				w.hook, _ = renumber(fault(n))
				deleteWithFaults(w)
				w.mustBeDeleted()
				w.mustCount(3*enoughPosts + 1)
			}))
		}
	}
}

// A request can be delivered once more long after it was sent: after the
// deletion, after the name was taken again, after somebody posted there.
func noLateCallHurts(t *testing.T) {
	calls := callsOfADeletion(t)
	firsts := map[string]func(n int) drivertest.Hook{
		"once more":                     func(int) drivertest.Hook { return drivertest.Pass },
		"once more, its reply was lost": drivertest.FailAfter,
		"only then":                     drivertest.FailBefore,
	}
	for name, first := range firsts {
		for n := 1; n <= calls; n++ {
			t.Run(fmt.Sprintf("call %d arrives %s", n, name),
				bubble(func(t *testing.T) { callArrivesLate(t, n, first(n)) }))
		}
	}
}

func callArrivesLate(t *testing.T, n int, first drivertest.Hook) {
	w := newWorld(t, enoughPosts)
	hook, late := drivertest.ResentLater(n, first)
	w.hook, _ = renumber(hook)
	deleteWithFaults(w)

	w.mustCount(3*enoughPosts + 1)

	again := w.create(string(w.victim.Name))
	posts := []domain.Blog{w.post(again, "first of the new incarnation"), w.post(again, "second")}
	if _, err := late.Arrive(t.Context()); err != nil {
		t.Logf("the late request was refused: %v", err)
	}
	// A late request can still queue a message. The worker must find that nothing
	// is left to do.
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
	w.mustCount(3*enoughPosts + 1)
	w.mustBeSound()
}
