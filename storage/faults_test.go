package storage_test

import (
	"context"
	"fmt"
	"testing"

	"microblogging/storage/drivertest"
)

// A fault is what befalls call number n.
type fault struct {
	name string
	at   func(n int) drivertest.Hook
}

// mishaps are what a network and an SDK that retries do to one call.
var mishaps = []fault{
	{"never arrives", drivertest.FailBefore},
	{"loses its reply", drivertest.FailAfter},
	{"is sent twice", drivertest.SentTwice},
}

// firsts are what the caller gets of a call that is delivered once more, or for
// the first time, when everybody has long gone on.
var firsts = []fault{
	{"arrives once more", func(int) drivertest.Hook { return drivertest.Pass }},
	{"arrives once more after its reply was lost", drivertest.FailAfter},
	{"arrives only later", drivertest.FailBefore},
}

// deadAfter fails every call from number n on, and n itself as the fault says:
// the process died there.
func deadAfter(n int, at drivertest.Hook) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > n {
			return drivertest.ErrInjected
		}
		return at(ctx, call, send)
	}
}

// before runs other work when call number n has been decided on and not yet
// sent.
func before(n int, work func()) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == n {
			work()
		}
		return send(ctx)
	}
}

// chain applies the first hook around the second.
func chain(outer, inner drivertest.Hook) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return outer(ctx, call, func(ctx context.Context) error { return inner(ctx, call, send) })
	}
}

// eachCall runs a scenario again and again, telling it 1, 2, 3… as the number of
// the call to strike, until the scenario no longer makes so many calls on the
// faulty side. Nobody chooses which call to test.
func eachCall(t *testing.T, what string, scenario func(w *world, n int)) {
	t.Helper()
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("call %d %s", n, what), func(t *testing.T) {
			inBubble(t, func(_ *testing.T, w *world) {
				last = true // also if the scenario fails for good
				scenario(w, n)
				last = int(w.calls.Load()) < n
			})
		})
	}
}

// eachMishap runs a scenario with every call on the faulty side struck by every
// mishap in turn.
func eachMishap(t *testing.T, scenario func(w *world)) {
	t.Helper()
	for _, fault := range mishaps {
		eachCall(t, fault.name, func(w *world, n int) {
			w.arm(fault.at(n))
			scenario(w)
		})
	}
}

// eachStraggler runs a scenario with every call on the faulty side delivered once
// more when the scenario says so.
func eachStraggler(t *testing.T, scenario func(w *world, late *drivertest.Straggler)) {
	t.Helper()
	for _, first := range firsts {
		eachCall(t, first.name, func(w *world, n int) {
			hook, late := drivertest.ResentLater(n, first.at(n))
			w.arm(hook)
			scenario(w, late)
		})
	}
}

// arrive delivers a straggler. Its answer reaches nobody.
func (w *world) arrive(late *drivertest.Straggler) {
	w.t.Helper()
	if _, err := late.Arrive(w.t.Context()); err != nil {
		w.t.Logf("the late request is refused: %v", err)
	}
}

// copied passes every call and keeps a copy of those to the Blogs table, all of
// which arrive once more, in order, when the test says so.
func copied() (hook drivertest.Hook, arrive func(ctx context.Context)) {
	var copies []drivertest.Send
	hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Blogs" {
			copies = append(copies, send)
		}
		return send(ctx)
	}
	return hook, func(ctx context.Context) {
		for _, send := range copies {
			_ = send(ctx) // the answer reaches nobody
		}
	}
}
