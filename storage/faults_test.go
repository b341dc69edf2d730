package storage_test

import (
	"context"
	"fmt"
	"testing"

	"microblogging/storage/drivertest"
)

// A fault is what happens to call number n.
type fault struct {
	name string
	at   func(n int) drivertest.Hook
}

// callFaults are what a network, and an SDK that retries, can do to one call.
var callFaults = []fault{
	{"never arrives", drivertest.FailBefore},
	{"loses its reply", drivertest.FailAfter},
	{"is sent twice", drivertest.SentTwice},
}

// lateDeliveries are the ways in which a call can be delivered late. They differ in
// what happened to the call at its proper time.
var lateDeliveries = []fault{
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

// before does other work just before call number n is sent.
func before(n int, work func()) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == n {
			work()
		}
		return send(ctx)
	}
}

// chain combines two hooks: the outer one decides whether the inner one is called.
func chain(outer, inner drivertest.Hook) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		return outer(ctx, call, func(ctx context.Context) error { return inner(ctx, call, send) })
	}
}

// eachCall runs a scenario with n = 1, 2, 3 and so on, the number of the call that
// gets the fault. It stops when the scenario makes fewer than n calls on the faulty
// side. So every call is tested, and nobody has to choose.
func eachCall(t *testing.T, what string, scenario func(w *world, n int)) {
	t.Helper()
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("call %d %s", n, what), func(t *testing.T) {
			inBubble(t, func(_ *testing.T, w *world) {
				last = true // even if the scenario ends the test
				scenario(w, n)
				last = int(w.calls.Load()) < n
			})
		})
	}
}

// eachFault runs a scenario once for each fault of each call on the faulty side.
func eachFault(t *testing.T, scenario func(w *world)) {
	t.Helper()
	for _, fault := range callFaults {
		eachCall(t, fault.name, func(w *world, n int) {
			w.arm(fault.at(n))
			scenario(w)
		})
	}
}

// eachLateDelivery runs a scenario once for each late delivery of each call on the faulty
// side. The call is delivered late when the scenario calls arrive.
func eachLateDelivery(t *testing.T, scenario func(w *world, late *drivertest.Straggler)) {
	t.Helper()
	for _, first := range lateDeliveries {
		eachCall(t, first.name, func(w *world, n int) {
			hook, late := drivertest.ResentLater(n, first.at(n))
			w.arm(hook)
			scenario(w, late)
		})
	}
}

// arrive delivers a late request. Nobody gets its answer.
func (w *world) arrive(late *drivertest.Straggler) {
	w.t.Helper()
	if _, err := late.Arrive(w.t.Context()); err != nil {
		w.t.Logf("the late request is refused: %v", err)
	}
}
