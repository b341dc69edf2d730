package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
)

// A worker outlives a store that is away.
func TestWorker(t *testing.T) { synctest.Test(t, outlivesAbsentStore) }

func outlivesAbsentStore(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	away := elapsed(10 * time.Minute)
	w.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if !away() {
			return drivertest.ErrInjected
		}
		return send(ctx)
	}
	stop := w.start(w.faulty)
	w.until("the store is back", away)
	w.until("the worker has noticed", elapsed(2*failedPollMax))
	stop()
	if !w.done() {
		t.Error("the worker did not recover soon after the store was back")
	}
	w.mustBeDeleted()
}
