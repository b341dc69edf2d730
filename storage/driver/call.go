package driver

import (
	"context"
	"errors"
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
	// Message is what an Update or a Delete is about. A Send has a text alone.
	Message Message
	// Limit is the most messages of a Receive or a Peek.
	Limit int
	// Lease is how long a Receive or an Update hides messages.
	Lease time.Duration
	// Seq numbers the calls of whoever counts them, from 1.
	Seq int

	Answer
}

// An Answer is what a call has returned. It counts once the call has ended without error.
type Answer struct {
	Entity   Entity
	Page     Page
	Messages []Message
	Receipt  string
	Length   int64
}

// A Method is the method of Tables or Queues that is called.
type Method string

// The methods.
const (
	CallCreateTable Method = "CreateTable"
	CallGet         Method = "Get"
	CallRange       Method = "Range"
	CallScan        Method = "Scan"
	CallTransact    Method = "Transact"
	CallCreateQueue Method = "CreateQueue"
	CallSend        Method = "Send"
	CallReceive     Method = "Receive"
	CallUpdate      Method = "Update"
	CallDelete      Method = "Delete"
	CallPeek        Method = "Peek"
	CallPing        Method = "Ping"
	CallLength      Method = "Length"
)

// An Around is put around each call of a backend: it counts, times, traces, refuses, changes,
// delays or repeats it. It may call next any number of times, with the fields of c as they
// are then, and change the answer; its caller gets the error that it returns. The backend is
// called with the context that next is given.
//
// Arounds are all that watches or disturbs a store: the ledger, metrics, traces, the faults
// and meters of tests, and the turnstile of the lab. What is refused for a limit never
// reaches one, and what the backend's client sends again is one call.
type Around func(ctx context.Context, c *Call, next func(context.Context) error) error

// Wrap returns the backend with the Arounds put around each of its calls. The first is the
// outermost. A nil Around is left out. The backend may be nil if none of them calls next.
func Wrap(backend Backend, arounds ...Around) Backend {
	var chain Around
	for _, around := range arounds {
		switch outer := chain; {
		case around == nil:
		case outer == nil:
			chain = around
		default:
			chain = func(ctx context.Context, c *Call, next func(context.Context) error) error {
				return outer(ctx, c, func(ctx context.Context) error { return around(ctx, c, next) })
			}
		}
	}
	if chain == nil {
		return backend
	}
	return &wrapped{backend, chain}
}

type wrapped struct {
	backend Backend
	around  Around
}

// do makes one call through the chain.
func (w *wrapped) do(ctx context.Context, c *Call) (Answer, error) {
	err := w.around(ctx, c, func(ctx context.Context) error { return c.on(ctx, w.backend) })
	if err != nil {
		return Answer{}, err
	}
	return c.Answer, nil
}

// on makes the call on a backend.
func (c *Call) on(ctx context.Context, b Backend) (err error) {
	switch c.Method {
	case CallCreateTable:
		err = b.CreateTable(ctx, c.Target)
	case CallGet:
		c.Entity, err = b.Get(ctx, c.Target, c.Partition, c.Row)
	case CallRange:
		c.Page, err = b.Range(ctx, c.Target, Range{Partition: c.Partition, From: c.From, To: c.To, Paging: c.Paging})
	case CallScan:
		c.Page, err = b.Scan(ctx, c.Target, Scan{From: c.From, To: c.To, Paging: c.Paging})
	case CallTransact:
		err = b.Transact(ctx, c.Target, c.Partition, c.Operations)
	case CallCreateQueue:
		err = b.CreateQueue(ctx, c.Target)
	case CallSend:
		err = b.Send(ctx, c.Target, c.Message.Text)
	case CallReceive:
		c.Messages, err = b.Receive(ctx, c.Target, c.Limit, c.Lease)
	case CallUpdate:
		c.Receipt, err = b.Update(ctx, c.Target, c.Message, c.Lease)
	case CallDelete:
		err = b.Delete(ctx, c.Target, c.Message)
	case CallPeek:
		c.Messages, err = b.Peek(ctx, c.Target, c.Limit)
	case CallPing:
		err = b.Ping(ctx, c.Target)
	case CallLength:
		c.Length, err = b.Length(ctx, c.Target)
	}
	return err
}

func (w *wrapped) Traits() Traits {
	if w.backend == nil {
		return Traits{}
	}
	return w.backend.Traits()
}

func (w *wrapped) CreateTable(ctx context.Context, table string) error {
	_, err := w.do(ctx, &Call{Method: CallCreateTable, Target: table})
	return err
}

func (w *wrapped) Get(ctx context.Context, table, partition, row string) (Entity, error) {
	a, err := w.do(ctx, &Call{Method: CallGet, Target: table, Partition: partition, Row: row})
	return a.Entity, err
}

func (w *wrapped) Range(ctx context.Context, table string, q Range) (Page, error) {
	a, err := w.do(ctx, &Call{Method: CallRange, Target: table, Partition: q.Partition, From: q.From, To: q.To, Paging: q.Paging})
	return a.Page, err
}

func (w *wrapped) Scan(ctx context.Context, table string, q Scan) (Page, error) {
	a, err := w.do(ctx, &Call{Method: CallScan, Target: table, From: q.From, To: q.To, Paging: q.Paging})
	return a.Page, err
}

func (w *wrapped) Transact(ctx context.Context, table, partition string, ops []Operation) error {
	_, err := w.do(ctx, &Call{Method: CallTransact, Target: table, Partition: partition, Operations: ops})
	return err
}

func (w *wrapped) CreateQueue(ctx context.Context, queue string) error {
	_, err := w.do(ctx, &Call{Method: CallCreateQueue, Target: queue})
	return err
}

func (w *wrapped) Send(ctx context.Context, queue, text string) error {
	_, err := w.do(ctx, &Call{Method: CallSend, Target: queue, Message: Message{Text: text}})
	return err
}

func (w *wrapped) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]Message, error) {
	a, err := w.do(ctx, &Call{Method: CallReceive, Target: queue, Limit: limit, Lease: lease})
	return a.Messages, err
}

func (w *wrapped) Update(ctx context.Context, queue string, m Message, lease time.Duration) (string, error) {
	a, err := w.do(ctx, &Call{Method: CallUpdate, Target: queue, Message: m, Lease: lease})
	return a.Receipt, err
}

func (w *wrapped) Delete(ctx context.Context, queue string, m Message) error {
	_, err := w.do(ctx, &Call{Method: CallDelete, Target: queue, Message: m})
	return err
}

func (w *wrapped) Peek(ctx context.Context, queue string, limit int) ([]Message, error) {
	a, err := w.do(ctx, &Call{Method: CallPeek, Target: queue, Limit: limit})
	return a.Messages, err
}

func (w *wrapped) Ping(ctx context.Context, queue string) error {
	_, err := w.do(ctx, &Call{Method: CallPing, Target: queue})
	return err
}

func (w *wrapped) Length(ctx context.Context, queue string) (int64, error) {
	a, err := w.do(ctx, &Call{Method: CallLength, Target: queue})
	return a.Length, err
}

// Writes tells whether the call may change something. A Receive does: it hides messages.
func (c *Call) Writes() bool {
	switch c.Method {
	case CallGet, CallRange, CallScan, CallPeek, CallPing, CallLength:
		return false
	}
	return true
}

// OfQueue tells whether the target is a queue.
func (c *Call) OfQueue() bool {
	switch c.Method {
	case CallCreateTable, CallGet, CallRange, CallScan, CallTransact:
		return false
	}
	return true
}

// Kind says in a word how the call finds its rows, as Azure's table design guide has it, or
// what is asked of a queue.
func (c *Call) Kind() string {
	switch c.Method {
	case CallCreateTable, CallCreateQueue:
		return "create"
	case CallGet:
		return "point"
	case CallRange:
		if c.From == "" && c.To == "" {
			return "partition"
		}
		return "range"
	case CallScan:
		return "scan"
	case CallTransact:
		return "transaction"
	case CallSend:
		return "send"
	case CallReceive:
		return "receive"
	case CallUpdate:
		return "update"
	case CallDelete:
		return "delete"
	case CallPeek:
		return "peek"
	case CallPing:
		return "ping"
	}
	return "length"
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
