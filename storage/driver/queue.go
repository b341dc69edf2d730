package driver

import (
	"context"
	"time"
)

// A Queue is one queue, as senders and workers use it. It refuses what breaks
// Azure's limits (domain.ErrLimit) and calls the [Backend] for the rest.
type Queue struct {
	name    string
	backend Backend
}

// NewQueue returns the queue of this name. It must be created (Queues.CreateQueue)
// before it is used.
func NewQueue(backend Backend, name string) *Queue { return &Queue{name, backend} }

// Name returns the name that was given to NewQueue.
func (q *Queue) Name() string { return q.name }

// Send puts a message on the queue. It is visible at once and never expires.
func (q *Queue) Send(ctx context.Context, text string) error {
	if err := checkMessageText(text); err != nil {
		return err
	}
	return q.backend.Send(ctx, q.name, text)
}

// Receive takes up to limit visible messages, at most MaxReceive, and hides each
// for the lease: 1 s to 7 days, in whole seconds.
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
	return q.backend.Receive(ctx, q.name, min(limit, MaxReceive), lease)
}

// Await returns when a message is visible on the queue, or when ctx ends. Only a backend
// that learns of every message (Traits.Await) returns before ctx ends. It is no [Call]: it
// asks nothing of a server.
func (q *Queue) Await(ctx context.Context) {
	if await := q.backend.Traits().Await; await != nil {
		await(ctx, q.name)
		return
	}
	<-ctx.Done()
}

// Update replaces the text and hides the message for another lease, in whole
// seconds; zero makes it visible at once. It returns the message with its new
// receipt. domain.ErrLeaseLost means that the receipt is not the latest, or that the
// message was settled.
func (q *Queue) Update(ctx context.Context, m Message, text string, lease time.Duration) (Message, error) {
	if err := checkMessageText(text); err != nil {
		return m, err
	}
	if err := checkLease(lease); err != nil {
		return m, err
	}
	m.Text = text
	receipt, err := q.backend.Update(ctx, q.name, m, lease)
	if err != nil {
		return m, err
	}
	m.Receipt = receipt
	return m, nil
}

// Delete settles the message. domain.ErrLeaseLost means that the receipt is not the
// latest, or that the message was settled before.
func (q *Queue) Delete(ctx context.Context, m Message) error {
	return q.backend.Delete(ctx, q.name, m)
}

// Peek shows up to limit visible messages, at most MaxReceive, and changes nothing: they
// have no receipt, and it is no delivery. A message under a lease is not shown.
func (q *Queue) Peek(ctx context.Context, limit int) ([]Message, error) {
	if limit < 1 {
		return nil, limitError("cannot peek at %d messages", limit)
	}
	return q.backend.Peek(ctx, q.name, min(limit, MaxReceive))
}

// Ping tells whether the queue can be reached.
func (q *Queue) Ping(ctx context.Context) error {
	return q.backend.Ping(ctx, q.name)
}

// Length counts the messages on the queue about, hidden ones included. A message
// that was settled or sent at this moment may or may not count.
func (q *Queue) Length(ctx context.Context) (int64, error) {
	return q.backend.Length(ctx, q.name)
}
