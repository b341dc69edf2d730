package driver

import (
	"context"
	"time"
)

// Tables is one backend's tables. It is dumb on purpose: limits,
// validation and every operation live above it, in Table and Store, so that
// they cannot differ between backends. An implementation must keep all of what
// follows, and nothing may rely on more.
//
//   - Rows are ordered by partition key, then row key, byte by byte.
//   - A row's ETag changes with every write to it and never repeats, also when
//     the row is deleted and created again. (Azure and Azurite make it from the
//     time of the write: ARCHITECTURE.md, "Guarantees", says what a repeat needs.)
//   - An acknowledged write is durable, as far as the backend's own promise
//     goes, and is seen by every read that starts after the acknowledgement.
//   - A page of Range is one snapshot of its partition. Nothing spans pages,
//     partitions or tables.
//   - Any call may fail after it took effect, and the backend's client may send
//     a request again by itself, so that domain.ErrExists, ErrConflict and
//     ErrNotFound may be the echo of the caller's own earlier attempt.
//
// Failures wrap one of domain.ErrNotFound, ErrExists, ErrConflict and
// ErrUnavailable, and their cause. A context that ends makes a call return, not
// necessarily undone.
type Tables interface {
	// CreateTable makes a table, or does nothing if it is there.
	CreateTable(ctx context.Context, table string) error
	// Get reads one row, or returns domain.ErrNotFound.
	Get(ctx context.Context, table, partition, row string) (Entity, error)
	// Range reads one page of the rows of one partition, in key order.
	Range(ctx context.Context, table string, q Range) (Page, error)
	// Scan reads one page of all rows of a range of partitions, in key order.
	Scan(ctx context.Context, table string, q Scan) (Page, error)
	// Transact applies 1 to 100 operations on distinct rows of one partition,
	// all or none (an entity group transaction). If one cannot be applied, the
	// error is an *OperationError, which names it.
	Transact(ctx context.Context, table, partition string, ops []Operation) error
}

// Queues is one backend's queues. It delivers at least once, in no
// promised order.
type Queues interface {
	// CreateQueue makes a queue, or does nothing if it is there.
	CreateQueue(ctx context.Context, queue string) error
	// Send puts a message on the queue; one that fails may be there all the
	// same, or there twice.
	Send(ctx context.Context, queue, text string) error
	// Receive takes up to limit visible messages (1 to 32) and hides each for
	// the lease. None at all is no error.
	Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]Message, error)
	// Update replaces the text, hides the message for another lease from now on
	// (zero shows it at once) and returns the receipt that replaces the old one.
	// With a receipt that is no longer the latest: domain.ErrLeaseLost.
	Update(ctx context.Context, queue string, m Message, lease time.Duration) (receipt string, err error)
	// Delete settles the message. With a receipt that is no longer the latest:
	// domain.ErrLeaseLost.
	Delete(ctx context.Context, queue string, m Message) error
	// Ping tells whether the queue can be reached.
	Ping(ctx context.Context, queue string) error
}

// A Range selects rows of one partition by row key.
type Range struct {
	Partition string
	// From is the first row key wanted. To is the first not wanted; empty means
	// no upper end. Neither need be a valid key.
	From, To string
	Paging
}

// A Scan selects rows by partition key, whole partitions at a time.
type Scan struct {
	// From is the first partition key wanted. To is the first not wanted; empty
	// means no upper end. Neither need be a valid key.
	From, To string
	Paging
}

// Paging says which page of a selection to read, and how much of each row.
type Paging struct {
	// Limit is the most rows that the page may hold, 1 to 1,000.
	Limit int
	// Continuation is empty for the first page, then what the page before gave.
	// It belongs to its selection and is opaque. One that was made up or is of
	// another selection is a domain.InvalidError on the field "continuation".
	Continuation string
	// KeysOnly leaves out everything but the keys: properties and ETag are empty.
	KeysOnly bool
}

// A Page is part of a selection. It may hold fewer rows than the limit, even
// none, and still not be the last.
type Page struct {
	Rows []Entity
	// Continuation selects the next page; it is empty on the last one.
	Continuation string
}

// A Message is one delivery of a queued text.
type Message struct {
	ID   string
	Text string
	// Receipt (Azure's pop receipt) is the proof of the current lease. Each
	// renewal replaces it.
	Receipt string
	// Deliveries counts how often the message was received, this time included.
	Deliveries int64
}
