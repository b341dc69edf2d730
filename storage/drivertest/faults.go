package drivertest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/storage/driver"
)

// Faults is a backend (its Tables and Queues) that hands every call to a hook,
// which decides what becomes of it. It is safe for concurrent use if the hook
// is, as all hooks of this package are.
//
// To fail each call of a scenario in turn, nobody choosing which:
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

// A Call is one call of a driver.
type Call struct {
	// Method is the driver's method: "Transact", "Get", "Receive", …
	Method string
	// Target is the table or the queue.
	Target string
	// Operations is what a Transact asks for, and nil for other methods.
	Operations []driver.Operation
	// Write is false for Get, Range, Scan and Ping. A Receive is a write: it
	// hides messages.
	Write bool
	// Seq numbers the calls from 1 in the order in which they started.
	Seq int
}

// A Hook decides what becomes of a call. It may send it by send, any number of
// times, at once or later and from any goroutine, and returns what the caller
// gets: nil stands for the answer of the latest send.
type Hook func(ctx context.Context, call Call, send Send) error

// Send applies a call to the backend and returns the backend's error.
type Send func(ctx context.Context) error

// NewFaults puts a hook before both drivers; either may be nil if unused.
func NewFaults(tables driver.Tables, queues driver.Queues, hook Hook) *Faults {
	return &Faults{tables: tables, queues: queues, hook: hook}
}

// Calls is the number of calls so far.
func (f *Faults) Calls() int { return int(f.calls.Load()) }

// intercept hands one call to the hook. The answer is guarded, for the hook may
// still send the request while the caller goes on.
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
		var none R
		return none, err
	}
	return latest, nil
}

// none is the answer of a call that has only an error.
type none struct{}

func only(do func(context.Context) error) func(context.Context) (none, error) {
	return func(ctx context.Context) (none, error) { return none{}, do(ctx) }
}

// CreateTable implements driver.Tables, as do Get, Range, Scan and Transact.
func (f *Faults) CreateTable(ctx context.Context, table string) error {
	_, err := intercept(ctx, f, Call{Method: "CreateTable", Target: table, Write: true}, only(func(ctx context.Context) error {
		return f.tables.CreateTable(ctx, table)
	}))
	return err
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
	_, err := intercept(ctx, f, call, only(func(ctx context.Context) error {
		return f.tables.Transact(ctx, table, partition, ops)
	}))
	return err
}

// CreateQueue implements driver.Queues, as do Send, Receive, Update,
// Delete and Ping.
func (f *Faults) CreateQueue(ctx context.Context, queue string) error {
	_, err := intercept(ctx, f, Call{Method: "CreateQueue", Target: queue, Write: true}, only(func(ctx context.Context) error {
		return f.queues.CreateQueue(ctx, queue)
	}))
	return err
}

// Send implements driver.Queues.
func (f *Faults) Send(ctx context.Context, queue, text string) error {
	_, err := intercept(ctx, f, Call{Method: "Send", Target: queue, Write: true}, only(func(ctx context.Context) error {
		return f.queues.Send(ctx, queue, text)
	}))
	return err
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
	_, err := intercept(ctx, f, Call{Method: "Delete", Target: queue, Write: true}, only(func(ctx context.Context) error {
		return f.queues.Delete(ctx, queue, m)
	}))
	return err
}

// Ping implements driver.Queues.
func (f *Faults) Ping(ctx context.Context, queue string) error {
	_, err := intercept(ctx, f, Call{Method: "Ping", Target: queue}, only(func(ctx context.Context) error {
		return f.queues.Ping(ctx, queue)
	}))
	return err
}
