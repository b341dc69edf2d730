package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestDrive(t *testing.T) {
	for sentence, test := range map[string]func(*testing.T){
		"in a closed loop each worker waits for its answer":              closedLoop,
		"in an open loop the latency counts from when a request was due": openLoopCountsWaiting,
		"what is under way at the end is waited for, and counted":        waitsForTheLast,
		"what never ends is given up and has failed, and the load ends":  givesUp,
		"an interruption ends it, with what was measured until then":     interrupted,
		"failures are counted apart, with the first error":               countsFailures,
	} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// driven drives a load whose operations are votes and call perform.
func driven(ctx context.Context, p Plan, perform func(ctx context.Context) error) Result {
	p.Mix = Mix{Vote: 1}
	d := newDriving(p, func(ctx context.Context, _ Operation, _ *rand.Rand) error { return perform(ctx) })
	d.drive(ctx)
	return d.result()
}

// takes is an operation that takes this long, or until ctx ends.
func takes(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// near reports whether a latency is what it should be, to the histogram's steps.
func near(got Time, want time.Duration) bool {
	return time.Duration(got) >= want-want/100 && time.Duration(got) <= want+want/100
}

func closedLoop(t *testing.T) {
	r := driven(t.Context(), Plan{Workers: 2, Duration: 10 * time.Second}, takes(100*time.Millisecond))
	if r.All.Requests != 200 || !near(r.Elapsed, 10*time.Second) || !near(r.All.P50, 100*time.Millisecond) || !near(r.All.Max, 100*time.Millisecond) {
		t.Errorf("%d requests in %s, p50 %s, max %s", r.All.Requests, r.Elapsed, r.All.P50, r.All.Max)
	}
}

// One worker that needs 20 ms gets a request each 10 ms. Request n is due at 10n ms and
// answered at 20(n+1) ms. A closed loop would say 20 ms for each.
func openLoopCountsWaiting(t *testing.T) {
	r := driven(t.Context(), Plan{Workers: 1, Rate: 100, Duration: time.Second}, takes(20*time.Millisecond))
	if r.All.Requests != 50 {
		t.Errorf("%d requests, want 50", r.All.Requests)
	}
	if !near(r.All.Max, 510*time.Millisecond) || !near(r.All.P50, 260*time.Millisecond) {
		t.Errorf("p50 %s and max %s, want 260 and 510 ms", r.All.P50, r.All.Max)
	}
}

func waitsForTheLast(t *testing.T) {
	r := driven(t.Context(), Plan{Workers: 3, Duration: time.Second}, takes(5*time.Second))
	if r.All.Requests != 3 || !near(r.Elapsed, 5*time.Second) || !near(r.All.Max, 5*time.Second) {
		t.Errorf("%d requests in %s, max %s", r.All.Requests, r.Elapsed, r.All.Max)
	}
}

func givesUp(t *testing.T) {
	began := time.Now()
	r := driven(t.Context(), Plan{Workers: 3, Duration: time.Second}, takes(time.Hour))
	if r.All.Requests != 3 || r.All.Failed != 3 || !errors.Is(r.Failure, errGivenUp) || time.Since(began) != time.Second+patience {
		t.Errorf("%d requests, %d failed with %v, given up after %s", r.All.Requests, r.All.Failed, r.Failure, time.Since(began))
	}
}

func interrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second+time.Millisecond)
	defer cancel()
	began := time.Now()
	r := driven(ctx, Plan{Workers: 1, Rate: 10, Duration: time.Hour}, takes(10*time.Millisecond))
	if r.All.Requests != 20 || r.All.Failed != 0 || time.Since(began) > 2100*time.Millisecond {
		t.Errorf("%d requests, %d failed, after %s", r.All.Requests, r.All.Failed, time.Since(began))
	}
}

func countsFailures(t *testing.T) {
	first := errors.New("first")
	var calls atomic.Int64
	r := driven(t.Context(), Plan{Workers: 1, Duration: time.Second}, func(ctx context.Context) error {
		_ = takes(10 * time.Millisecond)(ctx)
		switch n := calls.Add(1); {
		case n == 10:
			return first
		case n%10 == 0:
			return errors.New("another")
		}
		return nil
	})
	if r.All.Requests != 100 || r.All.Failed != 10 || !errors.Is(r.Failure, first) {
		t.Errorf("%d of %d requests failed, the first with %v", r.All.Failed, r.All.Requests, r.Failure)
	}
}
