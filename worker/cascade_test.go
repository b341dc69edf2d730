package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
)

// enoughPosts make three rows each. With the owner's subscription, these are two
// transactions of a sweep.
const enoughPosts = 40

// faults are what can happen to one call of a deletion. The call is made by the request that
// asks for the deletion, or by the worker. The explorer (package lab/protocol) tries more of
// them, but no worker's loop, lease or real store.
var faults = map[string]func(n int) drivertest.Hook{
	"whose reply is lost":          drivertest.FailAfter,
	"after which the process dies": func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailAfter(n)) },
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
	time.Sleep(3 * testOptions.Lease)
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

// TestCascade checks that no failed call leaves an orphan, hurts another channel or is
// miscounted.
func TestCascade(t *testing.T) {
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
