package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/storage/drivertest"
)

// A panic in any call of a library stops neither the worker nor the deletion. One in a goroutine
// that nobody guards would end the process, and this test.
func TestPanic(t *testing.T) {
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
