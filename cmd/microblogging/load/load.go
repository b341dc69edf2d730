package load

import (
	"context"
	"fmt"
	"time"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// A Plan says what one run does.
type Plan struct {
	// Channels is how many channels, and so how many partitions, share the load.
	Channels int
	// Fill is how many posts each channel holds before the load begins.
	Fill int
	Mix  Mix
	// Workers is how many operations run concurrently, at most.
	Workers int
	// Rate is how many operations are due in a second. 0 is a closed loop.
	Rate float64
	// Duration is how long operations are begun.
	Duration time.Duration
}

// pace says in which loop the operations are begun.
func (p Plan) pace() string {
	if p.Rate == 0 {
		return fmt.Sprintf("closed loop, workers: %d", p.Workers)
	}
	return fmt.Sprintf("open loop, %g requests/s due, workers: %d", p.Rate, p.Workers)
}

// Run fills an empty store, puts it under load and returns what it has measured. If ctx ends
// before the time, the result has what was measured until then and is no error. An error
// means that the channels could not be filled.
func Run(ctx context.Context, backend driver.Backend, p Plan) (Result, error) {
	site, err := newSite(storage.New(backend, storage.Options{Around: []driver.Around{count}}))
	if err != nil {
		return Result{}, err
	}
	d := newDriving(p, site.perform)
	if err := site.fill(ctx, p); err != nil {
		if ctx.Err() == nil {
			return Result{}, fmt.Errorf("filling the channels: %w", err)
		}
		return d.result(), nil
	}
	d.drive(ctx)
	return d.result(), nil
}
