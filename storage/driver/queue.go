package driver

import (
	"context"
	"time"
	"unicode/utf8"
)

// MaxReceive is the most messages that Azure hands out in one call.
const MaxReceive = 32

// maxLease is the longest that Azure hides a message.
const maxLease = 7 * 24 * time.Hour

// A Queue is one queue of a backend, behind Azure's limits.
type Queue struct {
	name   string
	driver Queues
}

// NewQueue is the named queue of a backend. The queue must be created before it
// is used.
func NewQueue(driver Queues, name string) *Queue {
	return &Queue{name: name, driver: driver}
}

// Name is the queue's name, as it was given to NewQueue.
func (q *Queue) Name() string { return q.name }

// Send puts a message on the queue, visible at once and for ever.
func (q *Queue) Send(ctx context.Context, text string) error {
	if err := checkMessageText(text); err != nil {
		return err
	}
	return q.driver.Send(ctx, q.name, text)
}

// Receive takes up to limit visible messages, at most 32, and hides each for the
// lease: 1 s to 7 days, in whole seconds.
func (q *Queue) Receive(ctx context.Context, limit int, lease time.Duration) ([]Message, error) {
	if limit < 1 {
		return nil, limitError("cannot receive %d messages", limit)
	}
	if lease < time.Second {
		return nil, limitError("a lease lasts at least a second, not %s", lease)
	}
	if err := checkLease(lease); err != nil {
		return nil, err
	}
	return q.driver.Receive(ctx, q.name, min(limit, MaxReceive), lease)
}

// Update replaces the text and hides the message for another lease, in whole
// seconds; zero shows it at once. It returns the message as it must be named
// from now on. domain.ErrLeaseLost means that it is somebody else's by now.
func (q *Queue) Update(ctx context.Context, m Message, text string, lease time.Duration) (Message, error) {
	if err := checkMessageText(text); err != nil {
		return m, err
	}
	if err := checkLease(lease); err != nil {
		return m, err
	}
	m.Text = text
	receipt, err := q.driver.Update(ctx, q.name, m, lease)
	if err != nil {
		return m, err
	}
	m.Receipt = receipt
	return m, nil
}

// Delete settles the message. domain.ErrLeaseLost means that it is somebody
// else's by now, or was settled.
func (q *Queue) Delete(ctx context.Context, m Message) error {
	return q.driver.Delete(ctx, q.name, m)
}

// Ping tells whether the queue can be reached.
func (q *Queue) Ping(ctx context.Context) error { return q.driver.Ping(ctx, q.name) }

// checkMessageText refuses what Azure refuses or alters: queue messages travel
// as XML. Domain messages are JSON in ASCII and always pass.
func checkMessageText(text string) error {
	if text == "" || len(text) > MaxMessageText {
		return limitError("a message has 1 to %d bytes, this has %d", MaxMessageText, len(text))
	}
	if !utf8.ValidString(text) {
		return limitError("a message is not valid UTF-8")
	}
	for _, r := range text {
		if r < 0x20 && r != '\t' && r != '\n' || r == 0x7f || r == 0xFFFE || r == 0xFFFF {
			return limitError("a message must not hold %U", r)
		}
	}
	return nil
}

func checkLease(lease time.Duration) error {
	if lease < 0 || lease > maxLease || lease%time.Second != 0 {
		return limitError("a lease is 0 s to 7 days in whole seconds, not %s", lease)
	}
	return nil
}
