package driver

import (
	"context"
	"time"
)

// A Queue is one queue, as senders and workers use it. It refuses what breaks
// Azure's limits (domain.ErrLimit) and calls the backend's [Queues] for the rest. Like
// a Table it enters each call in the [Ledger] of the context and tells the observers.
type Queue struct {
	name     string
	backend  Queues
	observer Observer
}

// NewQueue returns the queue of this name. It must be created (Queues.CreateQueue)
// before it is used.
func NewQueue(backend Queues, name string, observers ...Observer) *Queue {
	return &Queue{name: name, backend: backend, observer: Observers(observers...)}
}

// enter notes that a call begins.
func (q *Queue) enter(ctx context.Context, kind CallKind) (context.Context, entry) {
	return enter(ctx, q.observer, Call{Kind: kind, Target: q.name})
}

// Name returns the name that was given to NewQueue.
func (q *Queue) Name() string { return q.name }

// Send puts a message on the queue. It is visible at once and never expires.
func (q *Queue) Send(ctx context.Context, text string) error {
	if err := checkMessageText(text); err != nil {
		return err
	}
	ctx, call := q.enter(ctx, CallSend)
	err := q.backend.Send(ctx, q.name, text)
	call.endQueue(CallSend, q.name, 0, len(text), err)
	return err
}

// SendOnce is Send for a message that must not be doubled: the backend's client never
// sends it a second time. So a failure is more likely, and after it the message is on
// the queue once or not at all.
func (q *Queue) SendOnce(ctx context.Context, text string) error {
	return q.Send(context.WithValue(ctx, sentOnce{}, true), text)
}

// sentOnce is the key of what SendOnce tells the backend.
type sentOnce struct{}

// IsSentOnce tells a backend whether a request must not be sent a second time by its
// client.
func IsSentOnce(ctx context.Context) bool { return ctx.Value(sentOnce{}) != nil }

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
	ctx, call := q.enter(ctx, CallReceive)
	messages, err := q.backend.Receive(ctx, q.name, min(limit, MaxReceive), lease)
	call.endQueue(CallReceive, q.name, len(messages), textBytes(messages), err)
	return messages, err
}

func textBytes(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}

// Await returns when a message is visible on the queue, or when ctx ends. Only a backend
// that is an [Awaiter] returns before ctx ends. Await is not entered in the ledger: it
// asks nothing of a server.
func (q *Queue) Await(ctx context.Context) {
	if awaiter, ok := q.backend.(Awaiter); ok {
		awaiter.Await(ctx, q.name)
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
	ctx, call := q.enter(ctx, CallUpdate)
	receipt, err := q.backend.Update(ctx, q.name, m, lease)
	call.endQueue(CallUpdate, q.name, 0, len(text), err)
	if err != nil {
		return m, err
	}
	m.Receipt = receipt
	return m, nil
}

// Delete settles the message. domain.ErrLeaseLost means that the receipt is not the
// latest, or that the message was settled before.
func (q *Queue) Delete(ctx context.Context, m Message) error {
	ctx, call := q.enter(ctx, CallDelete)
	err := q.backend.Delete(ctx, q.name, m)
	call.endQueue(CallDelete, q.name, 0, 0, err)
	return err
}

// Peek shows up to limit visible messages, at most MaxReceive, and changes nothing: they
// have no receipt, and it is no delivery. A message under a lease is not shown.
func (q *Queue) Peek(ctx context.Context, limit int) ([]Message, error) {
	if limit < 1 {
		return nil, limitError("cannot peek at %d messages", limit)
	}
	ctx, call := q.enter(ctx, CallPeek)
	messages, err := q.backend.Peek(ctx, q.name, min(limit, MaxReceive))
	call.endQueue(CallPeek, q.name, len(messages), textBytes(messages), err)
	return messages, err
}

// Ping tells whether the queue can be reached.
func (q *Queue) Ping(ctx context.Context) error {
	ctx, call := q.enter(ctx, CallPing)
	err := q.backend.Ping(ctx, q.name)
	call.endQueue(CallPing, q.name, 0, 0, err)
	return err
}

// Length counts the messages on the queue about, hidden ones included. A message
// that was settled or sent at this moment may or may not count.
func (q *Queue) Length(ctx context.Context) (int64, error) {
	ctx, call := q.enter(ctx, CallLength)
	n, err := q.backend.Length(ctx, q.name)
	call.endQueue(CallLength, q.name, 0, 0, err)
	return n, err
}
