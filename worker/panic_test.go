package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/storage/drivertest"
)

func TestPanic(t *testing.T) {
	t.Run("in any call of a library stops neither the worker nor the deletion", panicAtEachCall)
	t.Run("in a renewal is a renewal that failed", bubble(panicInRenewal))
}

// A panic in a goroutine that nobody guards would end the process, and this test.
func panicAtEachCall(t *testing.T) {
	for n, last := int64(1), false; !last; n++ {
		t.Run(fmt.Sprint(n), bubble(func(t *testing.T) {
			last = true // even if the test ends here
			w := newWorld(t, 5)
			w.options.Reconcile = 100 * time.Millisecond // so that a pass is among the calls
			var calls atomic.Int64
			w.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				if calls.Add(1) == n {
					panic("a bug of a library")
				}
				return send(ctx)
			}
			w.mustAsk()
			w.finishOn(w.faulty)
			w.mustBeDeleted()
			last = calls.Load() < n || n >= 60
		}))
	}
}

func panicInRenewal(t *testing.T) {
	w := newWorld(t, 5)
	var renewals atomic.Int64
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case call.Method == "Update" && renewals.Add(1) == 1:
			panic("a bug of a library")
		case sweeps(call):
			time.Sleep(testOptions.Lease - time.Second)
		}
		return send(ctx)
	}
	w.mustAsk()
	w.finishOn(w.faulty)
	if renewals.Load() < 2 {
		t.Errorf("%d renewals", renewals.Load())
	}
	w.mustBeDeleted()
}
