package telemetry

import (
	"context"
	"strconv"
	"time"

	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// around is a driver.Around.
func (t *Telemetry) around(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
	began, kind := time.Now(), call.Kind()
	err := next(ctx)
	_, returned := call.Returned(err)
	written := call.Written(err)
	t.callTime.WithLabelValues(call.Target, kind).Observe(time.Since(began).Seconds())
	t.calls.WithLabelValues(call.Target, kind, driver.Outcome(err)).Inc()
	if returned > 0 {
		t.returned.WithLabelValues(call.Target).Add(float64(returned))
	}
	if written > 0 {
		t.written.WithLabelValues(call.Target).Add(float64(written))
	}
	if gate, refused := storage.RefusedByGate(call, err); refused {
		t.refused.WithLabelValues(string(gate)).Inc()
	}
	return err
}

// Tried is told of each try of a request of the Azure SDK.
func (t *Telemetry) Tried(try azure.Try) {
	status := "none"
	if try.Status != 0 {
		status = strconv.Itoa(try.Status)
	}
	t.tries.WithLabelValues(status).Inc()
	if try.Number > 1 {
		t.retries.Inc()
	}
	if try.Throttled() {
		t.throttled.Inc()
	}
}

// Committed is told of each commit of the embedded store.
func (t *Telemetry) Committed(commit bolt.Commit) {
	if commit.Err != nil {
		t.commits.WithLabelValues("failed").Inc()
		return
	}
	t.commits.WithLabelValues("ok").Inc()
	t.commitChanges.Observe(float64(commit.Changes))
	t.commitTime.Observe(commit.Took.Seconds())
}
