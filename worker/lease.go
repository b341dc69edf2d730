package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// renewTime bounds the call that renews a lease. A worker that stops waits for it.
const renewTime = 10 * time.Second

// A lease is the right to conclude one message. Each renewal changes the pop
// receipt of the message, so the renewals must have ended (release) before the
// message is concluded.
type lease struct {
	worker *Worker
	// message has the receipt of the last renewal. It and ends belong to the goroutine that
	// renews, until that has ended.
	message driver.Message
	// ends is when the lease runs out, as far as this worker knows.
	ends time.Time

	stop     context.CancelFunc
	renewals sync.WaitGroup
}

// hold starts to renew the lease of a message that was received just now, each time after a
// third of its length, until release is called. If the lease is lost, it calls lost and stops.
func (w *Worker) hold(ctx context.Context, m driver.Message, lost func()) *lease {
	held, stop := context.WithCancel(ctx)
	began := time.Now()
	l := &lease{worker: w, message: m, ends: began.Add(w.Lease), stop: stop}
	l.renewals.Go(func() {
		for pauseFor(held, w.Lease/3-time.Since(began)) {
			began = time.Now()
			if !l.renew(ctx) {
				lost()
				return
			}
		}
	})
	return l
}

// renew renews the lease once. It reports false if the lease is lost. After
// another failure, the lease counts as held until its length has passed.
func (l *lease) renew(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, min(l.worker.Lease/3, renewTime))
	defer cancel()
	began := time.Now()
	err := guarded(func() error {
		renewed, err := l.worker.queue.Update(ctx, l.message, l.message.Text, l.worker.Lease)
		if err == nil {
			l.message = renewed
			l.ends = began.Add(l.worker.Lease)
		}
		return err
	})
	if err != nil && !errors.Is(err, domain.ErrLeaseLost) {
		l.worker.Log.WarnContext(ctx, "could not renew the lease of a message", "error", err)
		return time.Now().Before(l.ends)
	}
	return err == nil
}

// release ends the renewals. It waits for a renewal that is under way, because
// only the receipt of the last renewal can conclude the message. It returns the
// message with that receipt.
func (l *lease) release() driver.Message {
	l.stop()
	l.renewals.Wait()
	return l.message
}
