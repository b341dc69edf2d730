package driver

import (
	"cmp"
	"context"
	"time"
)

// A Message is one delivery of a queued text.
type Message struct {
	ID   string
	Text string
	// Receipt (Azure's pop receipt) proves the current lease. Each delivery and
	// each update replaces it.
	Receipt string
	// Deliveries counts how often the message was received, including this time.
	Deliveries int64
}

// A Queue is one queue, as senders and workers use it. It refuses what breaks
// Azure's limits (domain.ErrLimit) and calls the [Backend] for the rest.
type Queue struct{ target }

// NewQueue returns the queue of this name. It must be created before it is used.
func NewQueue(backend Backend, name string) *Queue { return &Queue{target{name, backend}} }

// Create makes the queue, or does nothing if it is there.
func (q *Queue) Create(ctx context.Context) error {
	_, err := q.do(ctx, Call{Method: CallCreateQueue})
	return err
}

// Send puts a message on the queue. It is visible immediately and never expires.
func (q *Queue) Send(ctx context.Context, text string) error { return q.SendDelayed(ctx, text, 0) }

// SendDelayed is Send of a message that is invisible at first: for 0 s to 7 days, in whole seconds
// (Azure's initial visibility timeout).
func (q *Queue) SendDelayed(ctx context.Context, text string, delay time.Duration) error {
	if err := cmp.Or(checkMessageText(text), checkLease(delay, 0)); err != nil {
		return err
	}
	_, err := q.do(ctx, Call{Method: CallSend, Message: Message{Text: text}, Lease: delay})
	return err
}

// Receive takes up to limit visible messages, at most MaxReceive, and makes each invisible
// for the lease: 1 s to 7 days, in whole seconds.
func (q *Queue) Receive(ctx context.Context, limit int, lease time.Duration) ([]Message, error) {
	if limit < 1 {
		return nil, limitError("cannot receive %d messages", limit)
	}
	if err := checkLease(lease, time.Second); err != nil {
		return nil, err
	}
	a, err := q.do(ctx, Call{Method: CallReceive, Limit: min(limit, MaxReceive), Lease: lease})
	return a.Messages, err
}

// Await returns when a message is visible on the queue, or when ctx ends. Only a backend
// that learns of every message (Capabilities.Await) returns before ctx ends. It is no [Call]: it
// asks nothing of a server.
func (q *Queue) Await(ctx context.Context) {
	if await := q.backend.Capabilities().Await; await != nil {
		await(ctx, q.name)
		return
	}
	<-ctx.Done()
}

// StoreTime returns what the clock of the store that has the queue has told last (Capabilities.Clock). That is now
// of a store without a clock. It reports false if the store has not told it yet.
func (q *Queue) StoreTime() (time.Time, bool) {
	clock := q.backend.Capabilities().Clock
	if clock == nil {
		return time.Now(), true
	}
	told, _, known := clock()
	return told, known
}

// Update replaces the text and makes the message invisible for another lease, in whole
// seconds; zero makes it visible immediately. It returns the message with its new
// receipt. domain.ErrLeaseLost means that the receipt is not the latest, or that the
// message was deleted.
func (q *Queue) Update(ctx context.Context, m Message, text string, lease time.Duration) (Message, error) {
	if err := cmp.Or(checkMessageText(text), checkLease(lease, 0)); err != nil {
		return m, err
	}
	m.Text = text
	a, err := q.do(ctx, Call{Method: CallUpdate, Message: m, Lease: lease})
	if err == nil {
		m.Receipt = a.Receipt
	}
	return m, err
}

// Delete deletes the message. domain.ErrLeaseLost means that the receipt is not the
// latest, or that the message was deleted before.
func (q *Queue) Delete(ctx context.Context, m Message) error {
	_, err := q.do(ctx, Call{Method: CallDelete, Message: m})
	return err
}

// Peek shows up to limit visible messages, at most MaxReceive, and changes nothing: they
// have no receipt, and it is no delivery. A message under a lease is not shown.
func (q *Queue) Peek(ctx context.Context, limit int) ([]Message, error) {
	if limit < 1 {
		return nil, limitError("cannot peek at %d messages", limit)
	}
	a, err := q.do(ctx, Call{Method: CallPeek, Limit: min(limit, MaxReceive)})
	return a.Messages, err
}

// Length counts the messages on the queue about, invisible ones included. A message
// that was deleted or sent at this moment may or may not count.
func (q *Queue) Length(ctx context.Context) (int64, error) {
	a, err := q.do(ctx, Call{Method: CallLength})
	return a.Length, err
}
