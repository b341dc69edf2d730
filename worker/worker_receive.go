package worker

import (
	"context"
	"sync"
	"time"

	"microblogging/storage/driver"
)

const (
	// idlePollMin and idlePollMax bound the time between two looks at an empty
	// queue. A message that the process itself has sent is received at once.
	idlePollMin = 50 * time.Millisecond
	idlePollMax = time.Second
	// quietPollMax bounds it once the queue has been empty for long: then the time between
	// two looks is a quietShare-th of that. It is a quietShareOfPass-th of the time between
	// two reconciling passes at most.
	quietPollMax     = 20 * time.Second
	quietShare       = 10
	quietShareOfPass = 3
	// failedPollMin and failedPollMax bound the time between two looks at a queue
	// that cannot be read.
	failedPollMin = 250 * time.Millisecond
	failedPollMax = 5 * time.Second
)

// receive takes messages until ctx ends, and handles up to Concurrency of them
// at once. It adds each handling to running.
func (w *Worker) receive(ctx, work context.Context, running *sync.WaitGroup) {
	// A message that is being handled has a slot. Only this loop takes slots, so
	// there is one for each message that a fetch returns.
	slots := make(chan struct{}, w.Concurrency)
	idle := backoff{min: idlePollMin, max: idlePollMax}
	failed := backoff{min: failedPollMin, max: failedPollMax}
	received := time.Now()
	for takeSlot(ctx, slots) {
		// ctx must not cut off a fetch: the messages that the fetch leased would
		// stay hidden for a whole lease.
		messages, err := w.fetch(work, 1+cap(slots)-len(slots))
		wait := func() {}
		switch {
		case err != nil:
			w.Log.WarnContext(ctx, "queue not read", "error", err)
			wait = func() { pauseFor(ctx, failed.next()) }
		case len(messages) == 0:
			wait = func() { w.await(ctx, max(idle.next(), w.quietPoll(time.Since(received)))) }
			failed.reset()
		default:
			received = time.Now()
			idle.reset()
			failed.reset()
		}
		<-slots
		for _, m := range messages {
			slots <- struct{}{}
			running.Go(func() {
				free := sync.OnceFunc(func() { <-slots })
				defer free()
				w.handle(ctx, work, m, free)
			})
		}
		wait()
	}
}

// quietPoll is the time between two looks at a queue that has been empty for this long. A
// deletion waits for its worker at most a tenth of the time for which there was none.
func (w *Worker) quietPoll(empty time.Duration) time.Duration {
	return jitter(min(empty/quietShare, quietPollMax, w.Reconcile/quietShareOfPass))
}

// await waits until the queue holds a message, as far as the store tells, but at most
// this long.
func (w *Worker) await(ctx context.Context, longest time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	w.queue.Await(ctx)
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

// takeSlot waits for a free slot and takes it. It reports false if ctx ends
// first.
func takeSlot(ctx context.Context, slots chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
