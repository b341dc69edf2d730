package load

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// Run fills the ground, puts it under load and returns what it has measured. If ctx ends
// before the time, the result has what was measured until then and is no error. An error
// means that the channels could not be filled. Watch may be nil; it is not called by two
// goroutines at once.
func Run(ctx context.Context, ground Ground, p Plan, watch func(Progress)) (Result, error) {
	meter := newMeter()
	site, err := newSite(storage.New(ground, storage.Options{Around: []driver.Around{meter.around}}))
	if err != nil {
		return Result{}, err
	}
	if err := site.fill(ctx, p, watchFill(watch)); err != nil {
		if ctx.Err() != nil {
			return Nothing(p), nil
		}
		return Result{}, fmt.Errorf("filling the channels: %w", err)
	}
	d := &driving{Plan: p, recorder: newRecorder(p.Duration), perform: site.perform}
	d.drive(ctx, watchDrive(watch, p.Fill))
	return d.result(meter), nil
}

// Nothing is the result of a run that was interrupted before the load began.
func Nothing(p Plan) Result {
	r := Result{Plan: p, All: OperationResult{Name: "all"}, Interrupted: true}
	for _, o := range p.Mix.made() {
		r.Operations = append(r.Operations, OperationResult{Name: o.String()})
	}
	return r
}

// watchFill is called for each batch of posts, one call at a time.
func watchFill(watch func(Progress)) func(posts int) {
	var filled atomic.Int64
	return func(posts int) {
		n := filled.Add(int64(posts))
		if watch != nil {
			watch(Progress{Filled: int(n)})
		}
	}
}

func watchDrive(watch func(Progress), filled int) func(time.Duration, int64) {
	if watch == nil {
		return nil
	}
	return func(elapsed time.Duration, requests int64) {
		watch(Progress{Filled: filled, Elapsed: elapsed, Requests: requests})
	}
}
