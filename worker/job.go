package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
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
	// leased is the message with its latest pop receipt. While the work goes on, its lease may
	// have a later one.
	leased driver.Message
	// stop is closed when the process is to stop.
	stop <-chan struct{}

	// message is what leased asks for. If it cannot be read, unread says why.
	message domain.Message
	unread  error
	// handling is told how it goes.
	handling Handling
	// rows counts the rows that this handling removed.
	rows atomic.Int64
	// progress is nil unless the message asks to delete a channel or an account.
	progress *progress
	// poisoned reports whether this handling has recorded the message as poisoned.
	poisoned bool
}

func (w *Worker) newJob(m driver.Message, stop <-chan struct{}) *job {
	j := &job{worker: w, leased: m, stop: stop, handling: noObserver{}}
	j.message, j.unread = domain.DecodeMessage(m.Text)
	return j
}

// work does what the message asks for, and tells the observer that it begins.
func (j *job) work(ctx context.Context) (outcome, error) {
	j.handling = j.worker.Observer.Deliver(j.leased)
	if j.leased.Deliveries > 1 { // a worker that was killed has logged nothing about the delivery before
		j.log().InfoContext(ctx, "message received again")
	}
	err := guarded(func() error { return j.do(ctx) })
	return classify(ctx, err), err
}

// log says which message its lines are about.
func (j *job) log() *slog.Logger {
	return j.worker.Log.With("kind", j.message.Kind, "channel", j.message.Channel, "incarnation", j.message.Incarnation,
		"deliveries", j.leased.Deliveries)
}

// do does what the message asks for.
func (j *job) do(ctx context.Context) error {
	if j.unread != nil {
		return fmt.Errorf("%w: %w", errPermanent, j.unread)
	}
	switch j.message.Kind {
	case domain.MessageBlog:
		if err := j.checkDeliveries(0); err != nil {
			return err
		}
		return j.worker.steps.FinishBlog(ctx, j.message, j.removed)
	case domain.MessageAccount:
		return j.recorded(ctx, (*cascade).erase)
	default: // DecodeMessage refuses every other kind
		return j.recorded(ctx, (*cascade).run)
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

// text is the message as the next delivery is to find it. This handling ends in
// good order, so all deliveries up to it are accounted for.
func (j *job) text() string {
	if j.unread != nil {
		return j.leased.Text
	}
	j.message.Accounted = j.leased.Deliveries
	return j.message.Encode()
}

// removed counts rows that were removed.
func (j *job) removed(rows int) {
	j.rows.Add(int64(rows))
	j.handling.Removed(rows)
}

// recorded runs a cascade and records its progress and its end.
func (j *job) recorded(ctx context.Context, run func(*cascade, context.Context) error) error {
	w := j.worker
	j.progress = &progress{store: w.steps, of: j.message, log: w.Log, every: w.Progress, delivery: j.leased.Deliveries}
	accounted, err := j.progress.start(ctx)
	if err != nil || j.progress.outdated {
		return err
	}
	if err := j.checkDeliveries(accounted); err != nil {
		return err
	}
	c := &cascade{steps: w.steps, of: j.message, watch: j.watch, stop: j.stop, removed: func(ctx context.Context, rows int) {
		j.removed(rows)
		j.progress.removed(ctx, rows)
	}}
	if err := run(c, ctx); err != nil {
		return err
	}
	return j.progress.record(ctx, func(d *domain.Deletion) {
		d.State = domain.DeletionDone
		d.FinishedOn = domain.Now()
		d.WaitingSince = time.Time{}
	})
}

// watch waits as long as a slow worker does, and tells the observer and the next record of a
// step. If the step panics, the error is an ErrPanic.
func (j *job) watch(ctx context.Context, name domain.Step, take func(context.Context) (bool, error)) (more bool, err error) {
	if err := j.linger(ctx, name); err != nil {
		return false, err
	}
	j.progress.enter(name)
	began := time.Now()
	err = guarded(func() (err error) {
		more, err = take(ctx)
		return err
	})
	j.handling.Step(name, time.Since(began))
	j.progress.leave(stepResult(ctx, more, err))
	return more, err
}

// linger waits for Options.Slow before a step, or until the process is to stop. It first records
// which step comes, so that people see what the worker waits for. It records it again after each
// length of a lease: otherwise a long wait would count as a stall, and the reconciling pass would
// queue the deletion again.
func (j *job) linger(ctx context.Context, before domain.Step) error {
	for left := j.worker.Slow; left > 0; left -= j.worker.Lease {
		err := j.progress.record(ctx, func(d *domain.Deletion) {
			running(d)
			d.Step = before
		})
		if err != nil {
			return err
		}
		select {
		case <-time.After(min(left, j.worker.Lease)):
		case <-j.stop:
			return errStopping
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
