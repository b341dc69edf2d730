package worker

import (
	"context"
	"sync"
	"time"

	"microblogging/storage/driver"
)

// receive takes messages while there are free hands.
func (w *Worker) receive(ctx, work context.Context, running *sync.WaitGroup) {
	hands := make(chan struct{}, w.Concurrency)
	idle := backoff{min: idlePollMin, max: idlePollMax}
	failed := backoff{min: failedPollMin, max: failedPollMax}
	for take(ctx, hands) {
		// A fetch in flight is not cut off by ctx: what it leased would be
		// stranded for a whole lease.
		messages, err := w.fetch(work, 1+cap(hands)-len(hands))
		var pause time.Duration
		switch {
		case err != nil:
			w.Log.WarnContext(ctx, "queue not read", "error", err)
			pause = failed.next()
		case len(messages) == 0:
			pause = idle.next()
			failed.reset()
		default:
			idle.reset()
			failed.reset()
		}
		<-hands
		for _, m := range messages {
			hands <- struct{}{}
			running.Go(func() {
				defer func() { <-hands }()
				w.handle(ctx, work, m)
			})
		}
		if !pauseFor(ctx, pause) {
			return
		}
	}
}

func (w *Worker) fetch(ctx context.Context, free int) ([]driver.Message, error) {
	// The answer must arrive while most of the lease is left.
	ctx, cancel := context.WithTimeout(ctx, w.Lease/2)
	defer cancel()
	return w.queue.Receive(ctx, free, w.Lease)
}

// take waits for a free hand, and reports false if ctx ends first.
func take(ctx context.Context, hands chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	default:
	}
	select {
	case hands <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
