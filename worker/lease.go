package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// queue is the part of driver.Queue that the worker uses.
type queue interface {
	Receive(ctx context.Context, limit int, lease time.Duration) ([]driver.Message, error)
	Await(ctx context.Context)
	Update(ctx context.Context, m driver.Message, text string, lease time.Duration) (driver.Message, error)
	Delete(ctx context.Context, m driver.Message) error
}

// renewTime bounds the call that renews a lease. A worker that stops waits for it.
const renewTime = 10 * time.Second

// A lease is the right to conclude one message. Each renewal changes the pop
// receipt of the message, so the renewals must have ended (release) before the
// message is concluded.
type lease struct {
	queue  queue
	log    *slog.Logger
	length time.Duration

	// mu is held while the message is renewed or rewritten: each changes the receipt.
	mu      sync.Mutex
	message driver.Message
	// renewed is when the handling began or, later, when the last renewal that
	// succeeded was sent.
	renewed time.Time
	// ends is when the lease runs out, as far as this worker knows. The pauses of a
	// lesson read it meanwhile.
	ends atomic.Pointer[time.Time]

	stop    chan struct{}
	stopped chan struct{}
}

// keep starts to renew the lease, each time after a third of its length, until
// release is called. If the lease is lost, keep calls lost and stops.
func (l *lease) keep(ctx context.Context, lost func()) {
	l.extend(l.renewed)
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(l.stopped)
		ticker := time.NewTicker(l.length / 3)
		defer ticker.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-ticker.C:
				if l.isReleased() {
					return // both were ready
				}
				if !l.renew(ctx) {
					lost()
					return
				}
			}
		}
	}()
}

// renew renews the lease once. It reports false if the lease is lost. After
// another failure, the lease counts as held until its length has passed.
func (l *lease) renew(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(ctx, l.message.Text)
	switch {
	case err == nil:
		return true
	case errors.Is(err, domain.ErrLeaseLost):
		return false
	default:
		l.log.WarnContext(ctx, "lease not renewed", "error", err)
		return time.Since(l.renewed) < l.length
	}
}

// rewrite renews the lease and replaces the text of the message.
func (l *lease) rewrite(ctx context.Context, text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(ctx, text)
}

func (l *lease) write(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, min(l.length/3, renewTime))
	defer cancel()
	began := time.Now()
	return guarded(func() error {
		renewed, err := l.queue.Update(ctx, l.message, text, l.length)
		if err == nil {
			l.message, l.renewed = renewed, began
			l.extend(began)
		}
		return err
	})
}

// extend notes that the lease was renewed at this time.
func (l *lease) extend(from time.Time) {
	ends := domain.Storable(from.Add(l.length))
	l.ends.Store(&ends)
}

func (l *lease) isReleased() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// release ends the renewals. It waits for a renewal that is under way, because
// only the receipt of the last renewal can conclude the message. It returns the
// message with that receipt.
func (l *lease) release() driver.Message {
	close(l.stop)
	<-l.stopped
	return l.message
}
