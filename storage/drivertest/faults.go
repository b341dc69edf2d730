package drivertest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Faults is a backend whose calls all go to a hook, which decides whether the backend behind
// it gets them. Its Capabilities are those of that backend. Faults is safe for concurrent use if
// the hook is. All hooks of this package are.
//
// To fail each call of a scenario in turn:
//
//	for n := 1; ; n++ {
//		faults := drivertest.NewFaults(db, drivertest.FailAfter(n))
//		scenario(faults)
//		if faults.Calls() < n {
//			break // the scenario has no call number n
//		}
//		restartAndCheck(db)
//	}
type Faults struct {
	driver.Backend
	calls atomic.Int64
}

// A Hook is an Around. A Call and a Send are what it gets: the call, and what makes it.
type (
	Hook = driver.Around
	Call = *driver.Call
	Send = func(context.Context) error
)

// NewFaults puts a hook around a backend and numbers the calls (Call.Seq). A backend that no
// call reaches may be nil.
func NewFaults(backend driver.Backend, hook Hook) *Faults {
	f := &Faults{}
	f.Backend = driver.Wrap(backend, func(ctx context.Context, call Call, send Send) error {
		call.Seq = int(f.calls.Add(1))
		return hook(ctx, call, send)
	})
	return f
}

// Calls returns the number of calls so far.
func (f *Faults) Calls() int { return int(f.calls.Load()) }

// Far makes a backend look as one on a network does: reads are worth making concurrently, and
// nothing else is promised.
func Far(backend driver.Backend) driver.Backend { return far{backend} }

type far struct{ driver.Backend }

func (far) Capabilities() driver.Capabilities { return driver.Capabilities{ConcurrentReads: true} }

// ErrInjected is the error that the hooks below return to the caller. It wraps
// domain.ErrUnavailable: the caller cannot know whether a write took effect.
var ErrInjected = fmt.Errorf("%w: injected fault", domain.ErrUnavailable)

// Pass sends every call once.
func Pass(ctx context.Context, _ Call, send Send) error { return send(ctx) }

// at applies the hook to call number n and passes the others.
func at(n int, hook Hook) Hook {
	return func(ctx context.Context, call Call, send Send) error {
		if call.Seq != n {
			return send(ctx)
		}
		return hook(ctx, call, send)
	}
}

// FailBefore loses the request of call number n: it has no effect.
func FailBefore(n int) Hook {
	return at(n, func(context.Context, Call, Send) error { return ErrInjected })
}

// FailAfter loses the answer to call number n, after it took effect.
func FailAfter(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		return ErrInjected
	})
}

// SentTwice acts as a client that loses the answer to call number n and sends the
// request again without telling its caller. The caller gets the second answer,
// which may be a conflict with the first.
func SentTwice(n int) Hook {
	return at(n, func(ctx context.Context, _ Call, send Send) error {
		_ = send(ctx) // the answer that is lost
		return send(ctx)
	})
}

// Only applies the hook to the calls that match, and passes the others. To the hook, the
// calls that match are numbered from 1.
func Only(match func(Call) bool, hook Hook) Hook {
	var matched atomic.Int64
	return func(ctx context.Context, call Call, send Send) error {
		if !match(call) {
			return send(ctx)
		}
		seq := call.Seq
		call.Seq = int(matched.Add(1))
		defer func() { call.Seq = seq }()
		return hook(ctx, call, send)
	}
}

// Writes matches the calls that may change something.
func Writes(call Call) bool { return call.Writes() }

// EachCall returns a call of each method, all on a table or a queue of this name.
func EachCall(target string) []driver.Call {
	m, page := driver.Message{ID: "1", Text: "m", Receipt: "r"}, driver.Paging{Limit: 1}
	calls := []driver.Call{
		{Method: driver.CallCreateTable},
		{Method: driver.CallGet, Partition: "p", Row: "r"},
		{Method: driver.CallRange, Partition: "p", Paging: page},
		{Method: driver.CallScan, Paging: page},
		{Method: driver.CallTransact, Partition: "p", Operations: []driver.Operation{driver.Insert("r")}},
		{Method: driver.CallCreateQueue},
		{Method: driver.CallSend, Message: m},
		{Method: driver.CallReceive, Limit: 1, Lease: time.Second},
		{Method: driver.CallUpdate, Message: m, Lease: time.Second},
		{Method: driver.CallDelete, Message: m},
		{Method: driver.CallPeek, Limit: 1},
		{Method: driver.CallLength},
	}
	for i := range calls {
		calls[i].Target = target
	}
	return calls
}
