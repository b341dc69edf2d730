package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long operations under way may take after the last was begun. It is longer
// than a client of Azure tries by default. Those that take longer have failed. After an
// interruption they are not waited for, and not counted.
const patience = 30 * time.Second

var errGivenUp = fmt.Errorf("given up: no answer %s after the end of the load", patience)

// A driving makes the operations of a plan, and records how each ends.
type driving struct {
	Plan
	perform func(context.Context, Operation, *rand.Rand) error
	began   time.Time
	costs   [operations]cost
	// stopped is how long operations were begun.
	stopped time.Duration
	// tickets counts the operations that a worker has taken upon itself.
	tickets atomic.Int64

	mu      sync.Mutex
	records [operations + 1]record // the last is of all
	failure error                  // the first
	last    time.Time
}

// A record is what became of the operations of one kind.
type record struct {
	latencies histogram
	failed    int64
}

func newDriving(p Plan, perform func(context.Context, Operation, *rand.Rand) error) *driving {
	return &driving{Plan: p, perform: perform}
}

// drive begins operations until the duration has passed or ctx ends, and waits for those
// under way, so that the slowest are not left out.
func (d *driving) drive(ctx context.Context) {
	d.began = time.Now()
	d.last = d.began
	work, cancel := context.WithTimeoutCause(ctx, d.Duration+patience, errGivenUp)
	defer cancel()
	var workers sync.WaitGroup
	for range d.Workers {
		workers.Go(func() { d.worker(work) })
	}
	workers.Wait()
	d.stopped = min(time.Since(d.began), d.Duration)
	if ctx.Err() == nil {
		d.stopped = d.Duration // in an open loop the last may have been due before
	}
}

// worker makes one operation after another.
func (d *driving) worker(ctx context.Context) {
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for {
		from, ok := d.next(ctx)
		if !ok {
			return
		}
		o := d.Mix.pick(random)
		err := d.perform(withCost(ctx, &d.costs[o]), o, random)
		switch cause := context.Cause(ctx); {
		case err != nil && errors.Is(cause, errGivenUp):
			err = cause
		case err != nil && cause != nil:
			return // the load was interrupted, and the operation did not fail
		}
		d.record(o, from, err)
	}
}

// next waits until an operation may be begun, and returns from when its latency counts: from
// when it was due, however late a worker was free for it. If a worker was free in time and its
// timer rang late, that is no time of the store. It returns false when no more may be begun.
func (d *driving) next(ctx context.Context) (from time.Time, ok bool) {
	free := time.Now()
	n, due := d.tickets.Add(1)-1, free
	if d.Rate > 0 {
		due = d.began.Add(time.Duration(float64(n) / d.Rate * float64(time.Second)))
	}
	end := d.began.Add(d.Duration)
	if !due.Before(end) || !waitUntil(ctx, due) {
		return time.Time{}, false
	}
	begun := time.Now()
	if !begun.Before(end) {
		return time.Time{}, false
	}
	if free.Before(due) {
		due = begun
	}
	return due, true
}

// waitUntil returns false if ctx has ended by then.
func waitUntil(ctx context.Context, due time.Time) bool {
	if wait := time.Until(due); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// record notes that an operation has ended, whose latency counts from this time.
func (d *driving) record(o Operation, from time.Time, err error) {
	now := time.Now() // before the lock, whose time is not the store's
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.After(d.last) {
		d.last = now
	}
	for _, r := range []*record{&d.records[o], &d.records[operations]} {
		r.latencies.add(now.Sub(from))
		if err != nil {
			r.failed++
		}
	}
	d.failure = cmp.Or(d.failure, err)
}

// result sums up, once all operations have ended.
func (d *driving) result() Result {
	result := Result{
		Plan: d.Plan, Channels: d.Channels, Elapsed: Time(max(d.last.Sub(d.began), d.stopped)), Targets: azureTargets(),
		Failure: d.failure, All: d.records[operations].measured("all"),
	}
	for o := range Operation(operations) {
		if d.Mix[o] == 0 {
			continue
		}
		m := d.records[o].measured(o.String())
		m.Entities, m.Throttled = d.costs[o].entities.Load(), d.costs[o].throttled.Load()
		result.All.Entities += m.Entities
		result.All.Throttled += m.Throttled
		result.Operations = append(result.Operations, m)
	}
	return result
}

func (r *record) measured(name string) Measured {
	h := &r.latencies
	return Measured{
		Name: name, Requests: h.n, Failed: r.failed,
		P50: h.within(0.5), P95: h.within(0.95), P99: h.within(0.99), Max: Time(h.max),
	}
}
