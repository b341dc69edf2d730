package drivertest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/storage/driver"
)

// Faults stands in front of a backend, both its Tables and its Queues, and gives
// every call to a hook. The hook decides whether the backend gets it. Faults is
// safe for concurrent use if the hook is. All hooks of this package are.
//
// To fail each call of a scenario in turn:
//
//	for n := 1; ; n++ {
//		faults := drivertest.NewFaults(db, db, drivertest.FailAfter(n))
//		scenario(faults)
//		if faults.Calls() < n {
//			break // the scenario has no call number n
//		}
//		restartAndCheck(db)
//	}
type Faults struct {
	tables driver.Tables
	queues driver.Queues
	hook   Hook
	calls  atomic.Int64
}

// A Call is one call of a backend.
type Call struct {
	// Method is the name of the method: "Transact", "Get", "Receive", …
	Method string
	// Target is the table or the queue.
	Target string
	// Operations is the transaction of a Transact, and nil for other methods.
	Operations []driver.Operation
	// Write is false for Get, Range, Scan, Peek, Ping and Length. A Receive is a write: it
	// hides messages.
	Write bool
	// Seq numbers the calls from 1 in the order in which they started.
	Seq int
}

// A Hook decides what happens to a call. It may call send any number of times, at
// once or later, and from any goroutine. The caller gets the error that the hook
// returns; if that is nil, the caller gets the answer of the latest send.
type Hook func(ctx context.Context, call Call, send Send) error

// Send makes the call on the backend and returns the backend's error.
type Send func(ctx context.Context) error

// NewFaults puts a hook in front of a backend. An interface that no test calls
// may be nil.
func NewFaults(tables driver.Tables, queues driver.Queues, hook Hook) *Faults {
	return &Faults{tables: tables, queues: queues, hook: hook}
}

// Calls returns the number of calls so far.
func (f *Faults) Calls() int { return int(f.calls.Load()) }

// intercept gives one call to the hook. A mutex guards the answer, because the
// hook may still send the request after the caller has gone on.
func intercept[R any](ctx context.Context, f *Faults, call Call, do func(context.Context) (R, error)) (R, error) {
	call.Seq = int(f.calls.Add(1))
	var mu sync.Mutex
	var latest R
	err := f.hook(ctx, call, func(ctx context.Context) error {
		answer, err := do(ctx)
		mu.Lock()
		defer mu.Unlock()
		latest = answer
		return err
	})
	mu.Lock()
	defer mu.Unlock()
	if err != nil {
		var zero R
		return zero, err
	}
	return latest, nil
}

// interceptError is intercept for a method that returns only an error.
func (f *Faults) interceptError(ctx context.Context, call Call, do func(context.Context) error) error {
	_, err := intercept(ctx, f, call, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

// CreateTable implements driver.Tables.
func (f *Faults) CreateTable(ctx context.Context, table string) error {
	return f.interceptError(ctx, Call{Method: "CreateTable", Target: table, Write: true}, func(ctx context.Context) error {
		return f.tables.CreateTable(ctx, table)
	})
}

// Get implements driver.Tables.
func (f *Faults) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return intercept(ctx, f, Call{Method: "Get", Target: table}, func(ctx context.Context) (driver.Entity, error) {
		return f.tables.Get(ctx, table, partition, row)
	})
}

// Range implements driver.Tables.
func (f *Faults) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return intercept(ctx, f, Call{Method: "Range", Target: table}, func(ctx context.Context) (driver.Page, error) {
		return f.tables.Range(ctx, table, q)
	})
}

// Scan implements driver.Tables.
func (f *Faults) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return intercept(ctx, f, Call{Method: "Scan", Target: table}, func(ctx context.Context) (driver.Page, error) {
		return f.tables.Scan(ctx, table, q)
	})
}

// Transact implements driver.Tables.
func (f *Faults) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	call := Call{Method: "Transact", Target: table, Operations: ops, Write: true}
	return f.interceptError(ctx, call, func(ctx context.Context) error {
		return f.tables.Transact(ctx, table, partition, ops)
	})
}

// CreateQueue implements driver.Queues.
func (f *Faults) CreateQueue(ctx context.Context, queue string) error {
	return f.interceptError(ctx, Call{Method: "CreateQueue", Target: queue, Write: true}, func(ctx context.Context) error {
		return f.queues.CreateQueue(ctx, queue)
	})
}

// Send implements driver.Queues.
func (f *Faults) Send(ctx context.Context, queue, text string) error {
	return f.interceptError(ctx, Call{Method: "Send", Target: queue, Write: true}, func(ctx context.Context) error {
		return f.queues.Send(ctx, queue, text)
	})
}

// Receive implements driver.Queues.
func (f *Faults) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	return intercept(ctx, f, Call{Method: "Receive", Target: queue, Write: true}, func(ctx context.Context) ([]driver.Message, error) {
		return f.queues.Receive(ctx, queue, limit, lease)
	})
}

// Update implements driver.Queues.
func (f *Faults) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (string, error) {
	return intercept(ctx, f, Call{Method: "Update", Target: queue, Write: true}, func(ctx context.Context) (string, error) {
		return f.queues.Update(ctx, queue, m, lease)
	})
}

// Delete implements driver.Queues.
func (f *Faults) Delete(ctx context.Context, queue string, m driver.Message) error {
	return f.interceptError(ctx, Call{Method: "Delete", Target: queue, Write: true}, func(ctx context.Context) error {
		return f.queues.Delete(ctx, queue, m)
	})
}

// Peek implements driver.Queues.
func (f *Faults) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	return intercept(ctx, f, Call{Method: "Peek", Target: queue}, func(ctx context.Context) ([]driver.Message, error) {
		return f.queues.Peek(ctx, queue, limit)
	})
}

// Ping implements driver.Queues.
func (f *Faults) Ping(ctx context.Context, queue string) error {
	return f.interceptError(ctx, Call{Method: "Ping", Target: queue}, func(ctx context.Context) error {
		return f.queues.Ping(ctx, queue)
	})
}

// Length implements driver.Queues.
func (f *Faults) Length(ctx context.Context, queue string) (int64, error) {
	return intercept(ctx, f, Call{Method: "Length", Target: queue}, func(ctx context.Context) (int64, error) {
		return f.queues.Length(ctx, queue)
	})
}
