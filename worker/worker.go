package worker

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// Options are the settings of a worker.
type Options struct {
	// Lease is how long a message is hidden from others before it must be
	// renewed: whole seconds, at least one.
	Lease time.Duration
	// Reconcile is the time between two reconciling passes over the channels.
	Reconcile time.Duration
	// Concurrency is the most messages handled at once.
	Concurrency int
	// MaxAttempts is how many attempts may fail without getting further before
	// a message is poison.
	MaxAttempts int
	// Progress is the longest that a reader of the progress of a deletion waits
	// for news while rows are being removed; the zero value means 1 s.
	Progress time.Duration
	// Drain is how long the steps in hand may take to finish once the worker is
	// told to stop; the zero value means 10 s.
	Drain time.Duration
	Log   *slog.Logger
}

const (
	// maxDeliveries ends a message that kills its workers before they can count
	// an attempt.
	maxDeliveries = 100
	// quietLeases is how many leases a deletion may show no sign of life before
	// the reconciling pass queues it again.
	quietLeases = 3
	// idlePoll bounds the time between two looks at an empty queue.
	idlePollMin = 50 * time.Millisecond
	idlePollMax = time.Second
	// failedPoll bounds the time between two looks at a queue that fails.
	failedPollMin = 250 * time.Millisecond
	failedPollMax = 5 * time.Second
	// settleTime bounds the calls that settle a message.
	settleTime      = 15 * time.Second
	defaultDrain    = 10 * time.Second
	defaultProgress = time.Second
)

// Patience is how long a deletion may show no sign of life before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }

// store is everything that the worker does to the store, beside its queue.
type store interface {
	cascadeStore
	deletionLog
	FinishBlog(ctx context.Context, m domain.Message) error
	Poison(ctx context.Context, m driver.Message) error
	Reconcile(ctx context.Context, patience time.Duration) (storage.Reconciled, error)
}

// A Worker handles the messages of one queue.
type Worker struct {
	Options
	store store
	queue queue
}

// New is a worker on a store and its queue of messages.
func New(s *storage.Store, o Options) *Worker { return newWorker(s, s.Messages(), o) }

func newWorker(s store, q queue, o Options) *Worker {
	if o.Drain == 0 {
		o.Drain = defaultDrain
	}
	if o.Progress == 0 {
		o.Progress = defaultProgress
	}
	return &Worker{Options: o, store: s, queue: q}
}

// Run works until ctx ends. Then it takes no more messages, lets the steps in
// hand finish for as long as Drain, gives their messages back, and returns. The
// store may be out of reach at any time, also at the start.
func (w *Worker) Run(ctx context.Context) {
	// Two contexts: ctx stops taking work; work, later, stops the work in hand.
	work, abandon := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abandon(nil)
	defer context.AfterFunc(ctx, func() {
		timer := time.NewTimer(w.Drain)
		defer timer.Stop()
		select {
		case <-timer.C:
			abandon(errDrained)
		case <-work.Done():
		}
	})()

	var running sync.WaitGroup
	running.Go(func() { w.reconcile(ctx) })
	w.receive(ctx, work, &running)
	running.Wait()
}

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

// handle works on one message under its lease and settles it. stop ends when
// the process is to stop, and work when it must.
func (w *Worker) handle(stop, work context.Context, m driver.Message) {
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	held := &lease{queue: w.queue, log: w.Log, length: w.Lease, message: m, renewed: time.Now()}
	held.keep(context.WithoutCancel(ctx), func() { cancel(errLost) })

	job := w.newJob(m, stop.Done())
	err := guarded(func() error { return job.do(ctx) })
	result := classify(ctx, err)

	job.leased = held.release()
	w.settle(context.WithoutCancel(ctx), job, result, err)
}

// Handle works on one message that was received already and settles it, as Run
// does, but does not keep its lease: like a worker that misses every sign of
// having lost it. It returns why the work did not end, and nil if it did.
func (w *Worker) Handle(ctx context.Context, m driver.Message) error {
	job := w.newJob(m, nil)
	err := guarded(func() error { return job.do(ctx) })
	w.settle(ctx, job, classify(ctx, err), err)
	return err
}

// reconcile runs the reconciling pass from time to time.
func (w *Worker) reconcile(ctx context.Context) {
	for pauseFor(ctx, jitter(w.Reconcile)) {
		done, err := w.store.Reconcile(ctx, Patience(w.Lease))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.Log.WarnContext(ctx, "reconciling pass", "error", err)
		case done != storage.Reconciled{}:
			w.Log.InfoContext(ctx, "reconciling pass", "requeued", done.Requeued, "ungated", done.Ungated, "expired", done.Expired)
		}
	}
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

// pauseFor waits, and reports false if ctx ended.
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

// jitter is d, give or take a fifth, so that processes which started together
// do not go on together.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d*4/5 + rand.N(d*2/5+1)
}

// A backoff is a delay that doubles from min to max, with jitter.
type backoff struct {
	min, max time.Duration
	tries    int
}

func (b *backoff) next() time.Duration {
	d := delay(b.min, b.max, b.tries)
	b.tries++
	return d
}

func (b *backoff) reset() { b.tries = 0 }

func delay(lowest, highest time.Duration, tries int) time.Duration {
	return jitter(min(lowest<<min(tries, 20), highest))
}
