package driver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
)

// A Call is one call of a backend, as a value. The method decides which fields count. Its
// keys may hold hashes of secrets, so an Around that shows calls to people shows no key.
type Call struct {
	Method Method
	// Target is the table or the queue.
	Target string
	// Partition is the partition key of a Get, a Range and a Transact. Row is that of a Get.
	Partition, Row string
	// From and To are the bounds of a Range or a Scan.
	From, To string
	Paging   Paging
	// Operations are those of a Transact. An Around that wants others sets other ones, and
	// does not change these.
	Operations []Operation
	// Message is what an Update or a Delete is about. An Update has the new text, and a Send has a
	// text alone.
	Message Message
	// Limit is the most messages of a Receive or a Peek, 1 to MaxReceive.
	Limit int
	// Lease is how long a Receive, an Update or a Send makes messages invisible.
	Lease time.Duration
	// Seq is the number of the call, from 1, for the interceptor that counts.
	Seq int

	Result
}

// A Result is what a call has returned. It counts once the call has ended without error.
type Result struct {
	Entity   Entity
	Page     Page
	Messages []Message
	Receipt  string
	Length   int64
}

// A Method says what a call does.
type Method string

// The methods.
const (
	// CallCreateTable makes a table, or does nothing if it is there. CallCreateQueue does the
	// same with a queue.
	CallCreateTable Method = "CreateTable"
	CallCreateQueue Method = "CreateQueue"
	// CallGet reads one row, or fails with domain.ErrNotFound.
	CallGet Method = "Get"
	// CallRange reads one page of the rows of one partition, in key order, and CallScan one of
	// all rows of a range of partitions.
	CallRange Method = "Range"
	CallScan  Method = "Scan"
	// CallTransact applies an entity group transaction: 1 to 100 operations on
	// distinct rows of one partition, all or none. If one of them cannot be
	// applied, the error is an *OperationError, which names it.
	CallTransact Method = "Transact"
	// CallSend puts a message on the queue. If it fails, the message may still be
	// there, once or twice.
	CallSend Method = "Send"
	// CallReceive takes visible messages and makes each invisible for the lease. If there are none, it
	// returns none and no error.
	CallReceive Method = "Receive"
	// CallUpdate replaces the text, makes the message invisible for another lease that starts
	// now, and returns the receipt that replaces the old one. A lease of zero
	// makes the message visible immediately. If the receipt is not the latest, the
	// error is domain.ErrLeaseLost.
	CallUpdate Method = "Update"
	// CallDelete deletes the message. If the receipt is not the latest, the error is
	// domain.ErrLeaseLost.
	CallDelete Method = "Delete"
	// CallPeek shows visible messages and changes nothing: they stay visible, and it is no
	// delivery. They have no receipt. Messages that are invisible are not shown. If there are
	// none, it returns none and no error.
	CallPeek Method = "Peek"
	// CallLength counts the messages on the queue about, invisible ones included.
	CallLength Method = "Length"
)

// An Around is put around each call of a backend: it counts, times, refuses, changes, delays
// or repeats it. It may call next any number of times, with the fields of c as they
// are then, and change the answer; its caller gets the error that it returns. The backend is
// called with the context that next is given.
//
// Arounds are all that watches or disturbs a store: the call log, metrics, the faults and
// meters of tests, and the turnstile of the lab. What is refused for a limit never
// reaches one, and what the backend's client sends again is one call.
type Around func(ctx context.Context, c *Call, next func(context.Context) error) error

// Wrap returns the backend with the Arounds put around each of its calls. The first is the
// outermost. A nil Around is left out. The backend may be nil if none of them calls next.
func Wrap(backend Backend, arounds ...Around) Backend {
	for _, around := range slices.Backward(arounds) {
		if around != nil {
			backend = wrapped{backend, around}
		}
	}
	return backend
}

type wrapped struct {
	backend Backend
	around  Around
}

func (w wrapped) Do(ctx context.Context, c *Call) error {
	return w.around(ctx, c, func(ctx context.Context) error { return w.backend.Do(ctx, c) })
}

func (w wrapped) Capabilities() Capabilities {
	if w.backend == nil {
		return Capabilities{}
	}
	return w.backend.Capabilities()
}

// Writes reports whether the call may change something. A Receive does: it makes messages invisible.
func (c *Call) Writes() bool {
	return !slices.Contains([]Method{CallGet, CallRange, CallScan, CallPeek, CallLength}, c.Method)
}

// OfQueue reports whether the target is a queue.
func (c *Call) OfQueue() bool {
	return !slices.Contains([]Method{CallCreateTable, CallGet, CallRange, CallScan, CallTransact}, c.Method)
}

// Kind says in a word how the call finds its rows, as Azure's table design guide has it, or
// what is asked of a queue.
func (c *Call) Kind() string {
	switch {
	case c.Method == CallCreateTable, c.Method == CallCreateQueue:
		return "create"
	case c.Method == CallGet:
		return "point"
	case c.Method == CallRange && c.From == "" && c.To == "":
		return "partition"
	case c.Method == CallTransact:
		return "transaction"
	}
	return strings.ToLower(string(c.Method))
}

// Returned counts the rows or messages that the call gave, and read the rows that the backend
// looked at for it, or at least those that it gave. A call that failed gave none.
func (c *Call) Returned(err error) (read, returned int) {
	switch {
	case err != nil:
		return 0, 0
	case c.Method == CallGet:
		return 1, 1
	case c.Method == CallReceive, c.Method == CallPeek:
		return 0, len(c.Messages)
	}
	return max(c.Page.Read, len(c.Page.Rows)), len(c.Page.Rows)
}

// Written is how many operations the call has applied: all or none. If the backend did not
// answer it is 0, and some may have been applied nevertheless.
func (c *Call) Written(err error) int {
	if err != nil {
		return 0
	}
	return len(c.Operations)
}

// outcomes are the words of Outcome, the first that fits.
var outcomes = []struct {
	err  error
	word string
}{
	{context.Canceled, "canceled"},
	{domain.ErrNotFound, "not_found"}, {domain.ErrExists, "exists"}, {domain.ErrConflict, "conflict"},
	{domain.ErrLeaseLost, "lease_lost"}, {domain.ErrLimit, "limit"},
	{domain.ErrUnavailable, "unavailable"}, {context.DeadlineExceeded, "unavailable"},
}

// Outcome says in a word how a call, or the work that made it, has ended. A caller who has
// gone comes first: the backends make different errors of that.
func Outcome(err error) string {
	if err == nil {
		return "ok"
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.word
		}
	}
	return "error"
}
