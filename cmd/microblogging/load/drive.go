package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// patience is how long operations under way may take after the last was begun. It is
	// longer than a client of Azure tries by default. Those that take longer have failed.
	patience = 30 * time.Second
	// haste is the same if the run was interrupted. Those that take longer are not counted.
	haste = 3 * time.Second
	// progressEvery is the time between two reports of progress.
	progressEvery = 200 * time.Millisecond
	// timerLateness is how late a timer rings although a processor is free: Go's runtime may
	// sleep in whole milliseconds.
	timerLateness = 2 * time.Millisecond
)

var (
	errGivenUp     = fmt.Errorf("given up: no answer %s after the end of the load", patience)
	errInterrupted = errors.New("interrupted")
)

// A driving makes the operations of a plan.
type driving struct {
	Plan
	recorder *recorder
	perform  func(context.Context, Operation, *rand.Rand) error
	// begun counts the operations that were begun.
	begun atomic.Int64
	// stopped is how long operations were begun.
	stopped time.Duration
	// interrupted tells that ctx ended before the last operation did.
	interrupted bool
}

// drive begins operations until the duration has passed or ctx ends, and waits for those
// under way. It calls watch now and then, which may be nil.
func (d *driving) drive(ctx context.Context, watch func(elapsed time.Duration, requests int64)) {
	running, cancel := context.WithDeadline(ctx, d.recorder.began.Add(d.Duration))
	defer cancel()
	// Operations under way end by themselves, so that the slowest are not left out.
	work, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abort(nil)
	var workers sync.WaitGroup
	for range d.Workers {
		workers.Go(func() { d.worker(running, work) })
	}
	ended := make(chan struct{})
	go func() {
		workers.Wait()
		close(ended)
	}()
	d.report(running, watch)
	d.stopped = min(time.Since(d.recorder.began), d.Duration)
	finish(ctx, ended, abort)
	d.interrupted = ctx.Err() != nil
}

// finish waits for the operations under way, with patience, and in haste once ctx has
// ended. Then it aborts them.
func finish(ctx context.Context, ended <-chan struct{}, abort context.CancelCauseFunc) {
	select {
	case <-ended:
	case <-time.After(patience):
		abort(errGivenUp)
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(haste):
			abort(errInterrupted)
		}
	}
	<-ended
}

// report calls watch until the load is over.
func (d *driving) report(running context.Context, watch func(time.Duration, int64)) {
	if watch == nil {
		<-running.Done()
		return
	}
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			watch(time.Since(d.recorder.began), d.recorder.requests())
		case <-running.Done():
			return
		}
	}
}

// worker makes one operation after another.
func (d *driving) worker(running, work context.Context) {
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	var contexts [operations]context.Context
	for o := range contexts {
		contexts[o] = withCost(work, &d.recorder.costs[o])
	}
	for {
		from, ok := d.next(running)
		if !ok {
			return
		}
		o := d.Mix.pick(random)
		err := d.perform(contexts[o], o, random)
		switch cause := context.Cause(work); {
		case err != nil && errors.Is(cause, errInterrupted):
			return // it did not fail
		case err != nil && cause != nil:
			err = cause
		}
		d.recorder.record(o, from, err)
	}
}

// next waits until an operation may be begun, and returns from when its latency counts. It
// returns false when no more may be begun.
func (d *driving) next(running context.Context) (from time.Time, ok bool) {
	n, free := d.begun.Add(1)-1, time.Now()
	due := free
	if d.Rate > 0 {
		due = d.recorder.began.Add(time.Duration(float64(n) / d.Rate * float64(time.Second)))
	}
	end := d.recorder.began.Add(d.Duration) // running may end a moment later
	if due.Before(end) && waitUntil(running, due) {
		if begun := time.Now(); begun.Before(end) {
			return countsFrom(due, free, begun), true
		}
	}
	d.begun.Add(-1)
	return time.Time{}, false
}

// countsFrom returns from when the latency of an operation counts: from when it was due,
// however late a worker was free for it. If a worker was free in time and its timer rang a
// little late, that is no time of the store.
func countsFrom(due, free, begun time.Time) time.Time {
	if free.Before(due) && begun.Sub(due) <= timerLateness {
		return begun
	}
	return due
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

// unsent returns how many operations were due and never begun.
func (d *driving) unsent() int64 {
	if d.Rate == 0 {
		return 0
	}
	return max(0, int64(math.Ceil(d.stopped.Seconds()*d.Rate))-d.begun.Load())
}
