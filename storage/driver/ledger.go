package driver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A Ledger counts the calls that one request makes. [WithLedger] puts it into the
// context of the request; each Table and Queue that is called with that context enters
// its calls. What is refused for a limit never reaches a backend, and is not entered. A
// call that the backend's client sends again is one call.
//
// The zero Ledger counts and lists nothing. A Ledger is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	room    int
	totals  LedgerTotals
	pending int
	// since is when pending was 0 last.
	since time.Time
	calls []LedgerCall
}

// LedgerTotals are the sums over the calls that have ended.
type LedgerTotals struct {
	Calls int
	// Read is how many rows the backends looked at to answer the reads, and Returned how
	// many they gave. A backend that does not tell (Page.Counted) looked at as many as it
	// gave, at least. The rows of a transaction are in neither.
	Read, Returned int
	// Time is how long at least one call was under way. Calls that run beside each other
	// count once.
	Time time.Duration
}

// CallKind is how a call finds its rows, in the words of Azure's table design guide.
type CallKind uint8

// The kinds of call.
const (
	// CallPoint reads one row by its two keys.
	CallPoint CallKind = iota + 1
	// CallRange reads rows of one partition between two row keys.
	CallRange
	// CallPartition reads all rows of one partition.
	CallPartition
	// CallScan reads the rows of many partitions.
	CallScan
	// CallTransaction writes rows of one partition, all or none.
	CallTransaction
	// CallSend, CallReceive, CallUpdate, CallDelete, CallPing, CallLength and CallPeek are
	// calls of a queue.
	CallSend
	CallReceive
	CallUpdate
	CallDelete
	CallPing
	CallLength
	CallPeek
)

// String is the kind in one word, for metrics and traces.
func (k CallKind) String() string {
	switch k {
	case CallPoint:
		return "point"
	case CallRange:
		return "range"
	case CallPartition:
		return "partition"
	case CallScan:
		return "scan"
	case CallTransaction:
		return "transaction"
	case CallSend:
		return "send"
	case CallReceive:
		return "receive"
	case CallUpdate:
		return "update"
	case CallDelete:
		return "delete"
	case CallPing:
		return "ping"
	case CallLength:
		return "length"
	case CallPeek:
		return "peek"
	default:
		return "unknown"
	}
}

// A LedgerCall is one call, as it was made. Its keys may hold hashes of secrets.
type LedgerCall struct {
	Kind CallKind
	// Target is the table or the queue.
	Target string
	// Partition is the partition key. It is empty for a scan.
	Partition string
	// From and To are the bounds of the row keys, or of the partition keys of a scan. A
	// point has its row key in From.
	From, To string
	Paging   Paging
	// Operations are those of a transaction, without their properties.
	Operations []Operation
	// Err is what the caller got.
	Err error
	// Read and Returned are as in LedgerTotals. ReadAtLeast says that the backend does
	// not tell how many rows it looked at.
	Read, Returned int
	ReadAtLeast    bool
	// Bytes is the size of the keys, the property names and the values that were
	// returned or sent, about. The protocol around them is not in it.
	Bytes int
	Took  time.Duration
}

type ledgerKey struct{}

// WithLedger returns a context whose calls are entered in the ledger.
func WithLedger(ctx context.Context, l *Ledger) context.Context {
	return context.WithValue(ctx, ledgerKey{}, l)
}

// List makes the ledger keep the first n calls. The calls after them are counted all the
// same. It must be called before the ledger is used.
func (l *Ledger) List(n int) { l.room = n }

// Totals returns the sums over the calls that have ended. Calls under way have their
// time in it.
func (l *Ledger) Totals() LedgerTotals {
	l.mu.Lock()
	defer l.mu.Unlock()
	totals := l.totals
	if l.pending > 0 {
		totals.Time += time.Since(l.since)
	}
	return totals
}

// Calls returns the calls that List made room for, in the order in which they ended.
func (l *Ledger) Calls() []LedgerCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// An entry is a call under way. Its ledger is nil if nobody counts, and observed is nil if
// nobody observes.
type entry struct {
	ledger   *Ledger
	began    time.Time
	observed func(Result)
}

// enter notes that a call begins: in the ledger, if there is one in the context, and at the
// observer, unless it is nil. The call is made with the context that it returns.
func enter(ctx context.Context, observer Observer, call Call) (context.Context, entry) {
	e := entry{}
	if l, ok := ctx.Value(ledgerKey{}).(*Ledger); ok {
		e.ledger, e.began = l, l.begin()
	}
	if observer != nil {
		ctx, e.observed = observer.Begin(ctx, call)
	}
	return ctx, e
}

// begin notes that a call begins, and returns when.
func (l *Ledger) begin() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.pending == 0 {
		l.since = now
	}
	l.pending++
	return now
}

// tell tells the observer how the call has ended.
func (e entry) tell(r Result) {
	if e.observed != nil {
		e.observed(r)
	}
}

// end notes that a call has ended. It calls describe only if the ledger keeps the call.
func (e entry) end(read, returned int, describe func() LedgerCall) {
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.totals.Calls++
	l.totals.Read += read
	l.totals.Returned += returned
	if l.pending--; l.pending == 0 {
		l.totals.Time += now.Sub(l.since)
	}
	if len(l.calls) == l.room {
		return
	}
	call := describe()
	call.Read, call.Returned, call.Took = read, returned, now.Sub(e.began)
	l.calls = append(l.calls, call)
}

// endGet ends a Table.Get.
func (e entry) endGet(target, partition, row string, got Entity, err error) {
	found := 0
	if err == nil {
		found = 1
	}
	e.tell(Result{Err: err, Read: found, Returned: found})
	if e.ledger == nil {
		return
	}
	e.end(found, found, func() LedgerCall {
		return LedgerCall{Kind: CallPoint, Target: target, Partition: partition, From: row, Err: err, Bytes: sizeOf(got)}
	})
}

// endRange ends a Table.Range.
func (e entry) endRange(target string, q Range, page Page, err error) {
	e.tell(Result{Err: err, Read: page.looked(), Returned: len(page.Rows)})
	if e.ledger == nil {
		return
	}
	e.end(page.looked(), len(page.Rows), func() LedgerCall {
		return LedgerCall{
			Kind: q.kind(), Target: target, Partition: q.Partition, From: q.From, To: q.To, Paging: q.Paging, Err: err,
			ReadAtLeast: !page.Counted, Bytes: sizeOf(page.Rows...),
		}
	})
}

// endScan ends a Table.Scan.
func (e entry) endScan(target string, q Scan, page Page, err error) {
	e.tell(Result{Err: err, Read: page.looked(), Returned: len(page.Rows)})
	if e.ledger == nil {
		return
	}
	e.end(page.looked(), len(page.Rows), func() LedgerCall {
		return LedgerCall{
			Kind: CallScan, Target: target, From: q.From, To: q.To, Paging: q.Paging, Err: err,
			ReadAtLeast: !page.Counted, Bytes: sizeOf(page.Rows...),
		}
	})
}

// kind says whether the range is a whole partition.
func (q Range) kind() CallKind {
	if q.From == "" && q.To == "" {
		return CallPartition
	}
	return CallRange
}

// looked is how many rows the backend looked at, at least.
func (p Page) looked() int { return max(p.Read, len(p.Rows)) }

// endTransact ends a Table.Transact.
func (e entry) endTransact(target, partition string, ops []Operation, err error) {
	written := len(ops)
	if err != nil {
		written = 0
	}
	e.tell(Result{Err: err, Written: written})
	if e.ledger == nil {
		return
	}
	e.end(0, 0, func() LedgerCall {
		call := LedgerCall{Kind: CallTransaction, Target: target, Partition: partition, Err: err, Operations: make([]Operation, len(ops))}
		for i, op := range ops {
			call.Bytes += sizeOf(Entity{Partition: partition, Row: op.Row, Properties: op.Properties})
			op.Properties = nil
			call.Operations[i] = op
		}
		return call
	})
}

// endQueue ends a call of a queue that gave so many messages.
func (e entry) endQueue(kind CallKind, target string, messages, bytes int, err error) {
	e.tell(Result{Err: err, Returned: messages})
	if e.ledger == nil {
		return
	}
	e.end(0, 0, func() LedgerCall { return LedgerCall{Kind: kind, Target: target, Bytes: bytes, Err: err} })
}

// sizeOf is the size of the rows' keys and properties.
func sizeOf(rows ...Entity) int {
	size := 0
	for _, row := range rows {
		size += len(row.Partition) + len(row.Row) + len(row.ETag)
		for _, p := range row.Properties {
			size += len(p.Name) + p.Value.size()
		}
	}
	return size
}

func (v Value) size() int {
	switch v.kind {
	case KindString:
		return len(v.text)
	case KindBoolean:
		return 1
	}
	return 8
}
