package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// Options are the settings of a worker.
type Options struct {
	// Lease is how long a message is hidden from other workers before the lease
	// must be renewed: whole seconds, at least one.
	Lease time.Duration
	// Reconcile is the time between two reconciling passes.
	Reconcile time.Duration
	// Concurrency is how many messages are handled at once, at most.
	Concurrency int
	// MaxAttempts is the number of failed attempts that makes a message poison.
	// An attempt that removed rows does not count.
	MaxAttempts int
	// Progress is the longest time between two records of a deletion's progress
	// while rows are being removed. Zero means 1 s.
	Progress time.Duration
	// Drain is how long the work under way may go on once the worker is told to
	// stop. Zero means 10 s.
	Drain time.Duration
	// Teach makes the worker pause before each step of a deletion that is a lesson
	// (domain.Lesson). Without it, the worker reads and writes nothing about lessons.
	Teach bool
	// Log must be set.
	Log *slog.Logger
	// Observer is told what the worker does. Nil tells nobody.
	Observer Observer
}

const (
	defaultDrain    = 10 * time.Second
	defaultProgress = time.Second
)

// StopTime returns how long Run may go on after its context has ended, if the store
// answers nothing any more: the work under way is cut off after Drain, then a renewal
// that is under way ends, and then the calls that conclude the message. Whatever ends
// the process must wait longer.
func (o Options) StopTime() time.Duration {
	return cmp.Or(o.Drain, defaultDrain) + renewTime + concludeTime
}

// store is everything that the worker does to the store, except for its queue.
type store interface {
	cascadeStore
	deletionLog
	lessonStore
	FinishBlog(ctx context.Context, m domain.Message, report func(rows int)) error
	Poison(ctx context.Context, m driver.Message) error
	Reconcile(ctx context.Context, patience time.Duration, handedOut time.Time) (storage.Reconciled, error)
	Expire(ctx context.Context) (removed int, err error)
}

// A Worker handles the messages of one queue.
type Worker struct {
	Options
	store store
	queue queue
	// handedOut tells which messages have been received, by this worker or others.
	handedOut watermark
	// lessons counts the handlings that pause before each step.
	lessons atomic.Int64
}

// New returns a worker on the messages of a store.
func New(s *storage.Store, o Options) *Worker {
	if o.Drain == 0 {
		o.Drain = defaultDrain
	}
	if o.Progress == 0 {
		o.Progress = defaultProgress
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	return &Worker{Options: o, store: s, queue: s.Messages()}
}

// Run works until ctx ends. Then it takes no more messages, waits up to Drain
// for the steps under way, gives the messages that are not done back to the
// queue, and returns. The store may be unreachable at any time, also at the
// start.
func (w *Worker) Run(ctx context.Context) {
	// When ctx ends, the worker takes no more messages. When work ends, which is
	// at most Drain later, the work under way is cut off.
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

// handle works on one message under its lease and concludes it. When stop ends,
// the work stops before its next step. When work ends, it is cut off. A lesson calls free
// at its first pause.
func (w *Worker) handle(stop, work context.Context, m driver.Message, free func()) {
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	held := &lease{queue: w.queue, log: w.Log, length: w.Lease, message: m, renewed: time.Now()}
	held.keep(context.WithoutCancel(ctx), func() { cancel(errLost) })

	job := w.newJob(m, stop.Done())
	job.held, job.free = held, free
	ctx = job.observe(ctx)
	err := guarded(func() error { return job.do(ctx) })
	result := classify(ctx, err)

	job.leased = held.release()
	if job.lesson != nil {
		defer job.lesson.leave(context.WithoutCancel(ctx))
		if errors.Is(err, errKilled) {
			job.handling.End(End{Outcome: outcomeKilled, Kind: job.message.Kind, Cause: err})
			return
		}
	}
	w.conclude(context.WithoutCancel(ctx), job, result, err)
}

// Handle works on one message that was received before and concludes it, as Run
// does. It does not renew the lease: it behaves like a worker that does not
// notice that its lease is lost. The error says why the work failed. It is nil
// if the work is done.
func (w *Worker) Handle(ctx context.Context, m driver.Message) error {
	job := w.newJob(m, nil)
	ctx = job.observe(ctx)
	err := guarded(func() error { return job.do(ctx) })
	w.conclude(ctx, job, classify(ctx, err), err)
	return err
}
