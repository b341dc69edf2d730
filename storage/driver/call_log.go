package driver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A CallLog counts the calls that one request makes. [WithCallLog] puts it into the context of
// the request; where [Enter] is put around a backend, each call that is made with that
// context is entered.
//
// The zero CallLog counts and lists nothing. A CallLog is safe for concurrent use.
type CallLog struct {
	mu      sync.Mutex
	room    int
	totals  CallTotals
	pending int
	// since is when pending was 0 last.
	since time.Time
	calls []LoggedCall
}

// CallTotals are the sums over the calls that have ended.
type CallTotals struct {
	Calls int
	// Writes is how many writes have begun.
	Writes int
	// Read is how many rows the backends looked at to answer the reads, and Returned how
	// many they gave. A backend that does not tell (Page.Counted) looked at as many as it
	// gave, at least. The rows of a transaction are in neither.
	Read, Returned int
	// Time is how long at least one call was under way. The time of concurrent calls
	// counts once.
	Time time.Duration
}

// A LoggedCall is a call that has ended. It keeps nothing of the answer, no message, and
// operations without their properties.
type LoggedCall struct {
	Call
	// Err is what the caller got.
	Err error
	// Read and Returned are as in CallTotals. ReadAtLeast says that the backend does
	// not tell how many rows it looked at.
	Read, Returned int
	ReadAtLeast    bool
	// Bytes is the size of the keys, the property names, the values and the texts that were
	// returned or sent, about. The protocol around them is not in it.
	Bytes int
	Took  time.Duration
}

type callLogKey struct{}

// WithCallLog returns a context whose calls are entered in the call log.
func WithCallLog(ctx context.Context, l *CallLog) context.Context {
	return context.WithValue(ctx, callLogKey{}, l)
}

// List makes the call log keep the first n calls. The calls after them are counted all the
// same. It must be called before the call log is used.
func (l *CallLog) List(n int) { l.room = n }

// Totals returns the sums over the calls that have ended. Calls under way have their
// time in it.
func (l *CallLog) Totals() CallTotals {
	l.mu.Lock()
	defer l.mu.Unlock()
	totals := l.totals
	if l.pending > 0 {
		totals.Time += time.Since(l.since)
	}
	return totals
}

// Calls returns the calls that List made room for, in the order in which they ended.
func (l *CallLog) Calls() []LoggedCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// Enter is the [Around] that enters each call in the call log of its context, if there is one.
func Enter(ctx context.Context, c *Call, next func(context.Context) error) error {
	l, ok := ctx.Value(callLogKey{}).(*CallLog)
	if !ok {
		return next(ctx)
	}
	began := l.begin(c)
	err := next(ctx)
	l.end(began, c, err)
	return err
}

func (l *CallLog) begin(c *Call) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Writes() {
		l.totals.Writes++
	}
	now := time.Now()
	if l.pending == 0 {
		l.since = now
	}
	l.pending++
	return now
}

func (l *CallLog) end(began time.Time, c *Call, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	read, returned := c.Returned(err)
	l.totals.Calls++
	l.totals.Read += read
	l.totals.Returned += returned
	if l.pending--; l.pending == 0 {
		l.totals.Time += now.Sub(l.since)
	}
	if len(l.calls) == l.room {
		return
	}
	call := LoggedCall{
		Call: *c, Err: err, Read: read, Returned: returned,
		ReadAtLeast: (c.Method == CallRange || c.Method == CallScan) && !c.Page.Counted,
		Bytes:       c.bytes(err), Took: now.Sub(began),
	}
	call.Result, call.Message, call.Operations = Result{}, Message{}, slices.Clone(c.Operations)
	for i := range call.Operations {
		call.Operations[i].Properties = nil
	}
	l.calls = append(l.calls, call)
}

// bytes is the size of what was sent or returned.
func (c *Call) bytes(err error) int {
	size := len(c.Message.Text)
	for _, op := range c.Operations {
		size += len(c.Partition) + len(op.Row) + op.Properties.size()
	}
	if err != nil {
		return size
	}
	size += c.Entity.size()
	for _, row := range c.Page.Rows {
		size += row.size()
	}
	for _, m := range c.Messages {
		size += len(m.Text)
	}
	return size
}

func (e Entity) size() int {
	return len(e.Partition) + len(e.Row) + len(e.ETag) + e.Properties.size()
}

// size is that of the names and values.
func (p Properties) size() (size int) {
	for _, p := range p {
		size += len(p.Name) + len(p.Value.text)
		if p.Value.kind != KindString {
			size += 8
		}
	}
	return size
}
