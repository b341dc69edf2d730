package driver

import (
	"context"
	"time"
)

// Queues is what a backend implements: all of its queues. Senders and workers do
// not call it; they use a [Queue], which stands in front of it, checks the limits
// and gives the backend the queue's name. A message is delivered at least once, and messages come in no promised
// order.
type Queues interface {
	// CreateQueue makes a queue, or does nothing if it is there.
	CreateQueue(ctx context.Context, queue string) error
	// Send puts a message on the queue. If it fails, the message may still be
	// there, once or twice.
	Send(ctx context.Context, queue, text string) error
	// Receive takes up to limit visible messages (1 to 32) and hides each for the
	// lease. If there are none, it returns none and no error.
	Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]Message, error)
	// Update replaces the text, hides the message for another lease that starts
	// now, and returns the receipt that replaces the old one. A lease of zero
	// makes the message visible at once. If the receipt is not the latest, the
	// error is domain.ErrLeaseLost.
	Update(ctx context.Context, queue string, m Message, lease time.Duration) (receipt string, err error)
	// Delete settles the message. If the receipt is not the latest, the error is
	// domain.ErrLeaseLost.
	Delete(ctx context.Context, queue string, m Message) error
	// Peek shows up to limit visible messages (1 to 32) and changes nothing: they stay
	// visible, and it is no delivery. They have no receipt. Messages that are hidden are
	// not shown. If there are none, it returns none and no error.
	Peek(ctx context.Context, queue string, limit int) ([]Message, error)
	// Ping tells whether the queue can be reached.
	Ping(ctx context.Context, queue string) error
	// Length counts the messages on the queue about, hidden ones included.
	Length(ctx context.Context, queue string) (int64, error)
}

// An Awaiter is a backend that learns of every message on its queues, because all that
// send and receive are in its process. A [Queues] may be one. Whoever waits for a
// message of another backend looks now and then.
type Awaiter interface {
	// Await returns when a message is visible on the queue, or was a moment ago: others
	// may have received it. It also returns when ctx ends or the store is closed.
	Await(ctx context.Context, queue string)
}

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
