package storetest

import (
	"context"
	"fmt"
	"testing"

	"microblogging/storage/drivertest"
)

// A Fault is what happens to call number n.
type Fault struct {
	Name string
	At   func(n int) drivertest.Hook
}

// CallFaults are what a network, and an SDK that retries, can do to one call.
var CallFaults = []Fault{
	{"never arrives", drivertest.FailBefore},
	{"loses its reply", drivertest.FailAfter},
	{"is sent twice", drivertest.SentTwice},
}

// Before does other work immediately before call number n is sent.
func Before(n int, work func()) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq == n {
			work()
		}
		return send(ctx)
	}
}

// EachCall runs a scenario with n = 1, 2, 3 and so on, the number of the call that gets the fault. It stops
// when the scenario makes fewer than n calls on the faulty side, so every call gets it once.
func EachCall(t *testing.T, what string, scenario func(w *World, n int)) {
	t.Helper()
	for n, last := 1, false; !last; n++ {
		t.Run(fmt.Sprintf("call %d %s", n, what), Bubble(func(_ *testing.T, w *World) {
			last = true // even if the scenario ends the test
			scenario(w, n)
			last = int(w.Calls.Load()) < n
		}))
	}
}

// EachCallOf is EachCall for the world of a package.
func EachCallOf[W ~struct{ *World }](t *testing.T, what string, scenario func(w *W, n int)) {
	t.Helper()
	EachCall(t, what, func(w *World, n int) { scenario(&W{w}, n) })
}
