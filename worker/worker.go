package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// Options are the settings of a worker.
type Options struct {
	// Lease is how long a message is invisible to other workers before the lease
	// must be renewed: whole seconds, at least one.
	Lease time.Duration
	// Reconcile is the time between two reconciling passes.
	Reconcile time.Duration
	// Concurrency is how many messages are handled concurrently, at most.
	Concurrency int
	// MaxAttempts is the number of failed attempts that makes a message poison.
	// An attempt that removed rows does not count.
	MaxAttempts int
	// Progress is the longest time between two records of a deletion's progress
	// while rows are being removed. Zero means 1 s.
	Progress time.Duration
	// KeepDeletions is how long the record of a deletion is kept after its last change. Zero means 90 days.
	KeepDeletions time.Duration
	// Slow is how long the worker waits before each step of a deletion of a channel or of an
	// account, so that people can watch the steps. Zero does not wait.
	Slow time.Duration
	// Log must be set.
	Log *slog.Logger
	// Observer is told what the worker does. It may be nil.
	Observer Observer
}

const (
	// drainTime is how long the work under way may go on once the worker is told to stop.
	drainTime       = 10 * time.Second
	defaultProgress = time.Second
	// defaultKeep is longer than most backups are kept: see Prune in package deletion.
	defaultKeep = 90 * 24 * time.Hour
	// pollMin and pollMax bound the time between two looks at an empty queue. In between, it
	// is a pollShare-th of the time for which the queue has been empty, so that a deletion
	// waits for its worker at most a tenth of the time for which there was none. It is a
	// pollShareOfPass-th of the time between two reconciling passes at most. A message that
	// the process itself has sent is received immediately.
	pollMin         = 50 * time.Millisecond
	pollMax         = 20 * time.Second
	pollShare       = 10
	pollShareOfPass = 3
	// failedPollMin and failedPollMax bound the time between two looks at a queue
	// that cannot be read.
	failedPollMin = 250 * time.Millisecond
	failedPollMax = 5 * time.Second
)

// StopTime is how long Run may go on after its context has ended, if the store answers nothing any
// more: the work under way is cut off after 10 s, then a renewal that is under way ends (10 s), and
// then the three calls that conclude the message. Whatever ends the process must wait longer.
const StopTime = drainTime + renewTime + concludeTime

// A Worker handles the messages of one queue.
type Worker struct {
	Options
	steps storage.Steps
	queue *driver.Queue
	// handedOut tells which messages have been received, by this worker or others.
	handedOut watermark
}

// New returns a worker on the messages of a store.
func New(steps storage.Steps, o Options) *Worker {
	o.Progress = cmp.Or(o.Progress, defaultProgress)
	o.KeepDeletions = cmp.Or(o.KeepDeletions, defaultKeep)
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	return &Worker{Options: o, steps: steps, queue: steps.Messages()}
}

// Run works until ctx ends. Then it takes no more messages, waits up to drainTime
// for the steps under way, gives the messages that are not done back to the
// queue, and returns. The store may be unreachable at any time, also at the
// start.
func (w *Worker) Run(ctx context.Context) {
	// When ctx ends, the worker takes no more messages. When work ends, which is
	// at most drainTime later, the work under way is cut off.
	work, abandon := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abandon(nil)
	defer context.AfterFunc(ctx, func() {
		if pauseFor(work, drainTime) {
			abandon(errDrained)
		}
	})()

	var running sync.WaitGroup
	running.Go(func() { w.reconcile(ctx) })
	w.receive(ctx, work, &running)
	running.Wait()
}

// receive takes messages until ctx ends, and handles up to Concurrency of them
// concurrently. It adds each handling to running.
func (w *Worker) receive(ctx, work context.Context, running *sync.WaitGroup) {
	// A message that is being handled has a slot. Only this loop takes slots, so
	// there is one for each message that a fetch returns.
	slots := make(chan struct{}, w.Concurrency)
	failures := 0
	received := time.Now()
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		// ctx must not cut off a fetch: the messages that the fetch leased would
		// stay invisible for a whole lease.
		messages, err := w.fetch(work, 1+cap(slots)-len(slots))
		<-slots
		if err != nil {
			w.Log.WarnContext(ctx, "could not receive messages", "error", err)
			pauseFor(ctx, backoff(failedPollMin, failedPollMax, failures))
			failures++
			continue
		}
		failures = 0
		if len(messages) == 0 { // then it waits until the queue holds a message, as far as the store tells
			waiting, cancel := context.WithTimeout(ctx, w.poll(time.Since(received)))
			w.queue.Await(waiting)
			cancel()
			continue
		}
		received = time.Now()
		for _, m := range messages {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				w.handle(ctx, work, m)
			})
		}
	}
}

// poll is the time between two looks at a queue that has been empty for this long.
func (w *Worker) poll(empty time.Duration) time.Duration {
	return jitter(max(pollMin, min(empty/pollShare, pollMax, w.Reconcile/pollShareOfPass)))
}

// fetch leases up to limit messages.
func (w *Worker) fetch(ctx context.Context, limit int) (messages []driver.Message, err error) {
	// The answer must arrive while most of the lease is left.
	ctx, cancel := context.WithTimeout(ctx, w.Lease/2)
	defer cancel()
	asked := time.Now()
	err = guarded(func() (err error) {
		messages, err = w.queue.Receive(ctx, limit, w.Lease)
		return err
	})
	if err == nil {
		w.handedOut.note(asked, messages)
	}
	return messages, err
}

// pauseFor waits for d. It reports false if ctx ends first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// handle works on one message under its lease and concludes it. When stop ends,
// the work stops before its next step. When work ends, it is cut off.
func (w *Worker) handle(stop, work context.Context, m driver.Message) {
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	held := w.hold(context.WithoutCancel(ctx), m, func() { cancel(errLost) })
	j := w.newJob(m, stop.Done())
	result, err := j.work(ctx)
	j.leased = held.release()
	_ = j.conclude(context.WithoutCancel(ctx), result, err) // is logged
}

// Handle works on one message that was received before and concludes it, as Run
// does. It does not renew the lease: it behaves like a worker that does not
// notice that its lease is lost. The error says why the work failed. It is nil
// if the work is done. If the work or its conclusion panics, it is an ErrPanic, and the message is left to
// its lease.
func (w *Worker) Handle(ctx context.Context, m driver.Message) error {
	j := w.newJob(m, nil)
	result, err := j.work(ctx)
	if result == outcomePanic {
		return err
	}
	if failed := j.conclude(ctx, result, err); errors.Is(failed, ErrPanic) {
		return failed
	}
	return err
}
