package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/storage"
	"microblogging/storage/drivertest"
)

// enoughPosts make three rows each. With the owner's subscription, these are two
// transactions of a sweep.
const enoughPosts = 40

// faults are what can happen to one call of a deletion. The call is made by the request that
// asks for the deletion, or by the worker. The model checker (package lab/protocol) tries more of
// them, but no worker's loop, lease, panic or real store. A panic that no goroutine
// recovers would end the process, and this test.
var faults = map[string]func(n int) drivertest.Hook{
	"whose reply is lost":          drivertest.FailAfter,
	"after which the process dies": func(n int) drivertest.Hook { return deadFrom(n, drivertest.FailAfter(n)) },
	"that meets a bug of a library": func(n int) drivertest.Hook {
		return panicsIn(func(call drivertest.Call) bool { return call.Seq == n })
	},
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

// TestCascade checks that no failed call leaves an orphan, hurts another channel or is
// miscounted. The faulty side asks for the deletion, and its worker tries for a while. Then the
// user asks again, and a sound worker does what is left.
func TestCascade(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 7 // as with the race detector
	}
	for name, fault := range faults {
		const posts, sweep = 9, 25 // three rows each, the subscription and the posting rule: two transactions
		for n, last := 1, false; !last; n += every {
			t.Run(fmt.Sprintf("call %d %s", n, name), bubble(func(t *testing.T) {
				last = true // even if the test ends here
				w := newWorldOf(t, posts, storage.Options{SweepRows: sweep})
				var calls atomic.Int64
				hook := fault(n)
				w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					call.Seq = int(calls.Add(1)) // from now on
					return hook(ctx, call, send)
				}
				askErr := guarded(func() error { return w.ask(w.faulty) })
				stop := w.start(w.faulty)
				time.Sleep(3 * testOptions.Lease)
				stop()
				if _, err := w.sound.Channels.Get(t.Context(), w.victim.Key().Address()); err == nil {
					if askErr == nil {
						t.Error("a channel can be read although its deletion was accepted")
					}
					w.mustAsk()
				}
				w.finish()
				w.mustBeDeleted()
				w.mustCount(3*posts + 2)
				last = calls.Load() < int64(n)
			}))
		}
	}
}
