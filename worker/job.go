package worker

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// maxDeliveries is how often a message may be delivered. It stops a message that
// kills each worker before the worker can count an attempt.
const maxDeliveries = 100

// A job is the handling of one delivery.
type job struct {
	worker *Worker
	// leased is the message with its latest pop receipt.
	leased driver.Message
	// stop is closed when the process is to stop.
	stop <-chan struct{}

	// message is what leased asks for, once it is decoded.
	message domain.Message
	// progress is nil unless the message asks to delete a channel.
	progress *progress
}

func (w *Worker) newJob(m driver.Message, stop <-chan struct{}) *job {
	return &job{worker: w, leased: m, stop: stop}
}

// do decodes the message and does what it asks for.
func (j *job) do(ctx context.Context) error {
	message, err := domain.DecodeMessage(j.leased.Text)
	if err != nil {
		return fmt.Errorf("%w: %w", errPermanent, err)
	}
	j.message = message
	if j.leased.Deliveries > maxDeliveries {
		return fmt.Errorf("%w: delivered %d times", errPermanent, j.leased.Deliveries)
	}
	switch message.Kind {
	case domain.MessageBlog:
		return j.worker.store.FinishBlog(ctx, message)
	default: // DecodeMessage refuses every other kind
		return j.deleteChannel(ctx)
	}
}

// deleteChannel runs the cascade and records its progress and its end.
func (j *job) deleteChannel(ctx context.Context) error {
	w, ref := j.worker, j.message.Ref()
	j.progress = &progress{store: w.store, ref: ref, log: w.Log, every: w.Progress}
	if err := j.progress.start(ctx, j.message); err != nil {
		return err
	}
	c := cascade{store: w.store, ref: ref, progress: j.progress, stop: j.stop}
	if err := c.run(ctx); err != nil {
		return err
	}
	return j.progress.record(ctx, func(d *domain.Deletion) {
		d.State = domain.DeletionDone
		d.FinishedOn = domain.Now()
		d.WaitingSince = time.Time{}
	})
}
