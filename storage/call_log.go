package storage

import (
	"context"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A CallLog counts the calls of the store that one request makes, and lists them in words
// if List made room for them. The zero CallLog counts. It is safe for concurrent use.
type CallLog struct{ driver.CallLog }

// A CallTotals has the sums of a CallLog.
type CallTotals = driver.CallTotals

// A Call is one call of the store in words for people. No secret is in them, and no hash
// of one: a row key is shown by its form alone.
type Call struct {
	// Target is the table, or the queue if Queue is set.
	Target string
	Queue  bool
	// Kind is that of driver.Call, such as "point".
	Kind string
	// Condition says which rows were asked for.
	Condition string
	// Operations are those of a transaction, at most 12 of them, and
	// MoreOperations counts the others.
	Operations     []CallOperation
	MoreOperations int
	// Result is "ok", or says in a few words what the store answered instead.
	Result string
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
	// Words are such as "merge gate!open!<incarnation>".
	Words string
	// Kind is that of the row. It is nil if there is none.
	Kind *schema.Kind
	// Condition says what must hold for the row.
	Condition string
	// Result is empty unless the transaction failed because of this operation.
	Result string
}

// Context returns a context whose operations are entered in the call log.
func (l *CallLog) Context(ctx context.Context) context.Context {
	return driver.WithCallLog(ctx, &l.CallLog)
}

// Calls returns the calls that List made room for, in the order in which they ended.
func (l *CallLog) Calls() []Call {
	entered := l.CallLog.Calls()
	calls := make([]Call, len(entered))
	for i, call := range entered {
		calls[i] = described(call)
	}
	return calls
}
