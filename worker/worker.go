package worker

import (
	"context"
	"log/slog"
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
