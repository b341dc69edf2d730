package driver

import (
	"context"
	"time"
)

// A Backend is an open store: its tables, its queues, and what it is good at.
type Backend interface {
	Tables
	Queues
	Traits() Traits
}

// Traits are what a backend is good at. They decide how many calls are made at once, and
// never what is right. As a value they pass through everything that is put around a backend,
// so that a test runs what ships. The zero Traits promise nothing.
type Traits struct {
	// ReadsAtOnce tells that reads which do not depend on each other are worth making at
	// once, as on a network. A read of the embedded store costs less than a goroutine.
	ReadsAtOnce bool
	// CommitsTogether is how many transactions that wait at the same time are written in
	// about the time of one. Whoever has many makes that many wait.
	CommitsTogether int
	// Await returns when a message is visible on the queue, or was a moment ago: others may
	// have received it. It also returns when ctx ends or the store is closed. It is nil of a
	// backend that does not learn of every message; there one looks now and then.
	Await func(ctx context.Context, queue string)
}

// Tables is what a backend implements: all of its tables. The operations of
// package storage do not call it; they use a [Table], which stands in front of
// it, checks the limits and gives the backend the table's name.
//
// A backend must keep all of this, and nothing may rely on more:
//
//   - Rows are ordered by partition key, then by row key, byte by byte.
//   - A row's ETag changes with every write to the row and never repeats, even
//     if the row is deleted and created again. (Azure and Azurite make it from the
//     time of the write: ARCHITECTURE.md, "Guarantees", says what a repeat needs.)
//   - An acknowledged write is as durable as the backend promises. Every read
//     that starts after the acknowledgement sees it.
//   - A page of Range is one snapshot of its partition. Nothing spans pages,
//     partitions or tables.
//   - Any call may fail after it took effect, and the backend's client may send a
//     request again without being asked. So domain.ErrExists, ErrConflict and
//     ErrNotFound may be the echo of the caller's own earlier attempt.
//
// Errors wrap their cause and one of domain.ErrNotFound, ErrExists, ErrConflict
// and ErrUnavailable. ErrUnavailable leaves open whether a write took effect: there
// was no answer, or none that says so about every operation. When its context ends, a
// call returns; it may still take effect.
type Tables interface {
	// CreateTable makes a table, or does nothing if it is there.
	CreateTable(ctx context.Context, table string) error
	// Get reads one row, or returns domain.ErrNotFound.
	Get(ctx context.Context, table, partition, row string) (Entity, error)
	// Range reads one page of the rows of one partition, in key order.
	Range(ctx context.Context, table string, q Range) (Page, error)
	// Scan reads one page of all rows of a range of partitions, in key order.
	Scan(ctx context.Context, table string, q Scan) (Page, error)
	// Transact applies an entity group transaction: 1 to 100 operations on
	// distinct rows of one partition, all or none. If one of them cannot be
	// applied, the error is an *OperationError, which names it.
	Transact(ctx context.Context, table, partition string, ops []Operation) error
}

// Queues is what a backend implements: all of its queues. Senders and workers do
// not call it; they use a [Queue], which stands in front of it, checks the limits
// and gives the backend the queue's name. A message is delivered at least once, and
// messages come in no promised order.
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
