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
	d.report(running, ended, watch)
	d.stopped = min(time.Since(d.recorder.began), d.Duration)
	grace, reason := patience, errGivenUp
	if ctx.Err() != nil {
		grace, reason = haste, errInterrupted
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		abort(reason)
		<-ended
	}
}

// report calls watch until the load is over.
func (d *driving) report(running context.Context, ended <-chan struct{}, watch func(time.Duration, int64)) {
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
		due, ok := d.next(running)
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
		d.recorder.record(o, due, err)
	}
}

// next waits until an operation may be begun, and returns when it was due. It returns
// false when no more may be begun.
func (d *driving) next(running context.Context) (due time.Time, ok bool) {
	n := d.begun.Add(1) - 1
	due = time.Now()
	if d.Rate > 0 {
		due = d.recorder.began.Add(time.Duration(float64(n) / d.Rate * float64(time.Second)))
	}
	end := d.recorder.began.Add(d.Duration) // running may end a moment later
	if due.Before(end) && waitUntil(running, due) && time.Now().Before(end) {
		return due, true
	}
	d.begun.Add(-1)
	return time.Time{}, false
}

// waitUntil returns false if ctx has ended by then.
func waitUntil(ctx context.Context, due time.Time) bool {
	if wait := time.Until(due); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
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
