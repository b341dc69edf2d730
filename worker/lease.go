package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// queue is the part of driver.Queue that the worker uses.
type queue interface {
	Receive(ctx context.Context, limit int, lease time.Duration) ([]driver.Message, error)
	Update(ctx context.Context, m driver.Message, text string, lease time.Duration) (driver.Message, error)
	Delete(ctx context.Context, m driver.Message) error
}

// A lease is the right to settle one message. While it is kept, its message
// changes with each renewal, so that only who stopped keeping it may settle.
type lease struct {
	queue   queue
	log     *slog.Logger
	length  time.Duration
	message driver.Message
	// renewed is when the current lease began.
	renewed time.Time

	stop    chan struct{}
	stopped chan struct{}
}

// keep renews the lease at a third of its length until release is called. When
// it is lost, it calls lost and stops.
func (l *lease) keep(ctx context.Context, lost func()) {
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
				if !l.renew(ctx) {
					lost()
					return
				}
			}
		}
	}()
}

// renew reports false if the lease is lost. One that fails for another reason is
// tried again, as long as the lease runs.
func (l *lease) renew(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, l.length/3)
	defer cancel()
	began := time.Now()
	renewed, err := l.queue.Update(ctx, l.message, l.message.Text, l.length)
	switch {
	case err == nil:
		l.message, l.renewed = renewed, began
		return true
	case errors.Is(err, domain.ErrLeaseLost):
		return false
	default:
		l.log.WarnContext(ctx, "lease not renewed", "error", err)
		return time.Since(l.renewed) < l.length
	}
}

// release ends the renewals and waits for one that is under way, since its
// receipt is the one to settle with. It returns the message as it must be named.
func (l *lease) release() driver.Message {
	close(l.stop)
	<-l.stopped
	return l.message
}
