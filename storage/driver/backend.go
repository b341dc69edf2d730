package driver

import (
	"context"
	"time"
)

// A Backend is an open store: its tables, its queues, and what it is good at. The operations of
// package storage do not call it; they use a [Table] or a [Queue], which passes calls to
// it and checks the limits.
//
// A backend must keep all of this, and nothing may rely on more:
//
//   - Rows are ordered by partition key, then by row key, byte by byte.
//   - A row's ETag changes with every write to the row and never repeats, even
//     if the row is deleted and created again. (Azure and Azurite make it from the
//     time of the write: ARCHITECTURE.md, "What it depends on", says what a repeat needs.)
//   - An acknowledged write is as durable as the backend promises. Every read
//     that starts after the acknowledgement sees it.
//   - A page of a Range is one snapshot of its partition. Nothing spans pages,
//     partitions or tables.
//   - A message is delivered at least once, and messages come in no promised order.
//   - Any call may fail after it took effect, and the backend's client may send a
//     request again without being asked. So domain.ErrExists, ErrConflict and
//     ErrNotFound may be a self-conflict with the caller's earlier attempt.
//
// Errors wrap their cause and one of domain.ErrNotFound, ErrExists, ErrConflict, ErrLeaseLost
// and ErrUnavailable. ErrUnavailable leaves open whether a write took effect: there
// was no answer, or none that says so about every operation. If an operator must act, it is
// domain.ErrConfiguration, and domain.ErrMissing if the table or the queue does not exist. When its
// context ends, a call returns; it may still take effect.
type Backend interface {
	// Do makes the call and fills its Result in. It changes nothing else of the call, and does
	// not look at it after it has returned.
	Do(ctx context.Context, c *Call) error
	Capabilities() Capabilities
}

// Capabilities are what a backend is good at. They decide how many calls are made concurrently and what
// operators are told, and never what is right. As a value they pass through everything that is put around a backend,
// so that a test runs what ships. The zero Capabilities promise nothing.
type Capabilities struct {
	// ConcurrentReads reports whether reads which do not depend on each other are worth making at
	// once, as on a network. A read of the embedded store costs less than a goroutine.
	ConcurrentReads bool
	// CommitsTogether is how many transactions that wait at the same time are written in
	// about the time of one. A caller that has many should let that many wait.
	CommitsTogether int
	// Await returns when a message is visible on the queue, or was a moment ago: others may
	// have received it. It also returns when ctx ends or the store is closed. It is nil of a
	// backend that does not learn of every message; there one looks now and then.
	Await func(ctx context.Context, queue string)
	// Clock returns the time by the clock of the store when it last told it, and the time of this process at
	// that moment. known is false before that. A store without a clock of its own is never behind: it tells the
	// time of this process, or a later one that it knows to have passed. Nil of a backend that knows no time.
	Clock func() (store, here time.Time, known bool)
}

// A target is a table or a queue of a backend.
type target struct {
	name    string
	backend Backend
}

// Name returns the name of the table or the queue.
func (t target) Name() string { return t.name }

// do makes a call. One that failed has no answer.
func (t target) do(ctx context.Context, c Call) (Result, error) {
	c.Target = t.name
	if err := t.backend.Do(ctx, &c); err != nil {
		return Result{}, err
	}
	return c.Result, nil
}
