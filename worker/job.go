package worker

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// maxDeliveries is how often a message may be delivered and then neither get any
// further nor end in good order. It stops a message that kills each worker before
// the worker can count an attempt.
const maxDeliveries = 100

// A job is the handling of one delivery.
type job struct {
	worker *Worker
	// leased is the message with its latest pop receipt. While the work goes on, held has
	// a later one.
	leased driver.Message
	// held renews the lease while the work goes on. It is nil if nobody does (Handle).
	held *lease
	// stop is closed when the process is to stop.
	stop <-chan struct{}

	// message is what leased asks for. If it cannot be read, unread says why.
	message domain.Message
	unread  error
	// handling is told how it goes.
	handling Handling
	// rows counts the rows that were removed for a message about a post.
	rows int
	// progress is nil unless the message asks to delete a channel.
	progress *progress

	// poisoned tells that this handling has moved the message to the poison queue.
	poisoned bool

	// free gives the slot of this handling to others, for lessons. It is nil in Handle.
	free func()
	// lesson is nil unless this handling pauses before each step.
	lesson *lesson
}

func (w *Worker) newJob(m driver.Message, stop <-chan struct{}) *job {
	j := &job{worker: w, leased: m, stop: stop, handling: nobody{}}
	j.message, j.unread = domain.DecodeMessage(m.Text)
	return j
}

// observe tells the observer that the handling begins.
func (j *job) observe(ctx context.Context) context.Context {
	ctx, j.handling = j.worker.Observer.Deliver(ctx, j.leased, j.message)
	return ctx
}

// do does what the message asks for.
func (j *job) do(ctx context.Context) error {
	if j.unread != nil {
		return fmt.Errorf("%w: %w", errPermanent, j.unread)
	}
	switch j.message.Kind {
	case domain.MessageBlog:
		return j.deleteBlog(ctx)
	default: // DecodeMessage refuses every other kind
		return j.deleteChannel(ctx)
	}
}

// checkDeliveries fails for good if too many deliveries came after the last one that
// is accounted for.
func (j *job) checkDeliveries(accounted int64) error {
	if n := j.leased.Deliveries - max(accounted, j.message.Accounted); n > maxDeliveries {
		return fmt.Errorf("%w: delivered %d times without progress", errPermanent, n)
	}
	return nil
}

// gotFurther tells whether this handling removed any row.
func (j *job) gotFurther() bool {
	return j.rows > 0 || j.progress != nil && j.progress.removedRows()
}

// text is the message as the next delivery is to find it. This handling ends in
// good order, so all deliveries up to it are accounted for.
func (j *job) text() string {
	if j.unread != nil {
		return j.leased.Text
	}
	j.message.Accounted = j.leased.Deliveries
	return j.message.Encode()
}

// deleteBlog completes the deletion of a post.
func (j *job) deleteBlog(ctx context.Context) error {
	if err := j.checkDeliveries(0); err != nil {
		return err
	}
	return j.worker.store.FinishBlog(ctx, j.message, func(rows int) {
		if j.rows == 0 {
			j.markProgress(ctx)
		}
		j.rows += rows
		j.handling.Removed(rows)
	})
}

// markProgress writes into the message of a post that this delivery has got further, so
// that the deliveries up to it do not count even if the worker is killed. A channel has
// its Deletions row for that. It costs a request, so a first delivery is left to count:
// most are the only one.
func (j *job) markProgress(ctx context.Context) {
	if j.held == nil || j.leased.Deliveries-j.message.Accounted <= 1 {
		return
	}
	if err := j.held.rewrite(ctx, j.text()); err != nil {
		j.worker.Log.WarnContext(ctx, "progress not recorded", "channel", j.message.Channel, "post", j.message.Blog, "error", err)
	}
}

// deleteChannel runs the cascade and records its progress and its end.
func (j *job) deleteChannel(ctx context.Context) error {
	w, ref := j.worker, j.message.Ref()
	j.progress = &progress{store: w.store, ref: ref, log: w.Log, every: w.Progress, delivery: j.leased.Deliveries}
	accounted, err := j.progress.start(ctx, j.message)
	if err != nil {
		return err
	}
	if err := j.checkDeliveries(accounted); err != nil {
		return err
	}
	if err := j.beginLesson(ctx); err != nil {
		return err
	}
	c := cascade{store: w.store, ref: ref, progress: j.progress, stop: j.stop, lesson: j.lesson, handling: j.handling}
	if err := c.run(ctx); err != nil {
		return err
	}
	return j.progress.record(ctx, func(d *domain.Deletion) {
		d.State = domain.DeletionDone
		d.FinishedOn = domain.Now()
		d.WaitingSince = time.Time{}
	})
}
