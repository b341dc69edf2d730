package storage

import (
	"context"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A Ledger counts the calls of the store that one request makes, and lists them in words
// if List made room for them. The zero Ledger counts. It is safe for concurrent use.
type Ledger struct{ calls driver.Ledger }

// A CallTotals has the sums of a Ledger.
type CallTotals = driver.LedgerTotals

// A Call is one call of the store in words for people. No secret is in them, and no hash
// of one: a key is shown by its form, and what varies in it is left out.
type Call struct {
	// Target is the table, or the queue if Queue is set.
	Target string
	Queue  bool
	// Kind is "point", "row range", "partition scan", "table scan", "transaction", or what
	// was asked of a queue.
	Kind string
	// Condition says which rows were asked for.
	Condition string
	// Operations are those of a transaction, at most maxOperations of them, and
	// MoreOperations counts the others.
	Operations     []CallOperation
	MoreOperations int
	// Answer is "ok", or says in a few words what the store answered instead.
	Answer string
	// Purpose says in a sentence what the call is for.
	Purpose string
	// Kinds are the kinds of row that were asked for, each once.
	Kinds []*schema.Kind
	// Read is how many rows the store looked at, at least that many if ReadAtLeast is
	// set. Returned is how many it gave, and Written how many a transaction wrote.
	Read, Returned, Written int
	ReadAtLeast             bool
	// Bytes is the size of the keys and values that were sent or returned.
	Bytes int
	Took  time.Duration
}

// A CallOperation is one operation of a transaction in words.
type CallOperation struct {
	// Words are such as "merge gate!open!…".
	Words string
	// Kind is that of the row. It is nil if there is none.
	Kind *schema.Kind
	// Condition says what must hold for the row.
	Condition string
	// Answer is empty unless the transaction failed because of this operation. Reason then
	// says what that means.
	Answer, Reason string
}

// Context returns a context whose operations are entered in the ledger.
func (l *Ledger) Context(ctx context.Context) context.Context {
	return driver.WithLedger(ctx, &l.calls)
}

// List makes the ledger keep the first n calls for Calls. It must be called before the
// ledger is used.
func (l *Ledger) List(n int) { l.calls.List(n) }

// Totals returns the sums over the calls that have ended.
func (l *Ledger) Totals() CallTotals { return l.calls.Totals() }

// Calls returns the calls that List made room for, in the order in which they ended.
func (l *Ledger) Calls() []Call {
	entered := l.calls.Calls()
	calls := make([]Call, len(entered))
	for i, call := range entered {
		calls[i] = inWords(call)
	}
	return calls
}
