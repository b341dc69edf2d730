package driver

import (
	"context"
	"errors"

	"microblogging/domain"
)

// An Observer is told of each call that reaches a backend. Metrics and traces are made of
// it. A call that is refused for a limit never reaches a backend, and a call that the
// backend's client sends again is one call. Await is not observed: it asks nothing of a
// server.
//
// An Observer is safe for concurrent use, never panics and never waits: the caller waits
// for it.
type Observer interface {
	// Begin is called when a call begins. The backend is called with the context that it
	// returns, so that spans nest. The function that it returns is called when the call has
	// ended, and must not be nil. It is not called if the backend panics.
	Begin(ctx context.Context, call Call) (context.Context, func(Result))
}

// A Call is a call that begins, as an Observer may see it. It has no keys of rows that are
// read, because they may hold hashes of secrets.
type Call struct {
	Kind CallKind
	// Target is the table or the queue.
	Target string
	// Operations are those of a transaction. The observer neither keeps nor changes them.
	Operations []Operation
}

// A Result is how a call has ended.
type Result struct {
	// Err is what the caller gets.
	Err error
	// Read and Returned are as in LedgerTotals. For a queue, Returned counts the messages
	// that were received or shown.
	Read, Returned int
	// Written is how many operations a transaction has applied: all or none. If the backend
	// did not answer it is 0, and some may have been applied nevertheless.
	Written int
}

// Outcome says in a word how a call, or the work that made it, has ended. A caller who has
// gone comes first: the backends make different errors of that.
func Outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, domain.ErrNotFound):
		return "not_found"
	case errors.Is(err, domain.ErrExists):
		return "exists"
	case errors.Is(err, domain.ErrConflict):
		return "conflict"
	case errors.Is(err, domain.ErrLeaseLost):
		return "lease_lost"
	case errors.Is(err, domain.ErrLimit):
		return "limit"
	case errors.Is(err, domain.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return "unavailable"
	}
	return "error"
}

// Observers makes one Observer of several. The first begins first and ends last. It is nil
// if there is none.
func Observers(several ...Observer) Observer {
	switch len(several) {
	case 0:
		return nil
	case 1:
		return several[0]
	}
	return observers(several)
}

type observers []Observer

func (several observers) Begin(ctx context.Context, call Call) (context.Context, func(Result)) {
	ends := make([]func(Result), len(several))
	for i, o := range several {
		ctx, ends[i] = o.Begin(ctx, call)
	}
	return ctx, func(r Result) {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i](r)
		}
	}
}
