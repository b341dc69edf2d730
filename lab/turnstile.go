package lab

import (
	"context"
	"errors"
	"time"

	"microblogging/storage/driver"
)

var (
	_ driver.OneByOne = (*turnstile)(nil)
	_ driver.Sparing  = (*turnstile)(nil)
	_ driver.Queues   = (*turnstile)(nil)
)

// A turnstile is a backend that turns each call into a value and submits it. It
// ignores when contexts end: whether a caller gives up is a fate, which the scheduler
// decides.
type turnstile struct {
	submit    func(Call) Answer
	lastFirst bool
	// most is how many operations a transaction of a sweep has.
	most int
}

// LastFirst implements driver.OneByOne.
func (t *turnstile) LastFirst() bool { return t.lastFirst }

// MostOperations implements driver.Sparing.
func (t *turnstile) MostOperations() int { return t.most }

// CreateTable does nothing: the tables are there.
func (t *turnstile) CreateTable(context.Context, string) error { return nil }

// Get implements driver.Tables, as do Range, Scan and Transact.
func (t *turnstile) Get(_ context.Context, table, partition, row string) (driver.Entity, error) {
	a := t.submit(Call{Method: Get, Target: table, Partition: partition, Row: row})
	return a.Entity, a.Err
}

// Range implements driver.Tables.
func (t *turnstile) Range(_ context.Context, table string, q driver.Range) (driver.Page, error) {
	a := t.submit(Call{Method: Range, Target: table, Range: q})
	return a.Page, a.Err
}

// Scan implements driver.Tables.
func (t *turnstile) Scan(_ context.Context, table string, q driver.Scan) (driver.Page, error) {
	a := t.submit(Call{Method: Scan, Target: table, Scan: q})
	return a.Page, a.Err
}

// Transact implements driver.Tables.
func (t *turnstile) Transact(_ context.Context, table, partition string, ops []driver.Operation) error {
	return t.submit(Call{Method: Transact, Target: table, Partition: partition, Operations: ops}).Err
}

// CreateQueue does nothing: the queues are there.
func (t *turnstile) CreateQueue(context.Context, string) error { return nil }

// Send implements driver.Queues, as do Receive, Update and Delete.
func (t *turnstile) Send(ctx context.Context, queue, text string) error {
	return t.submit(Call{Method: Send, Target: queue, Message: driver.Message{Text: text}, Once: driver.IsSentOnce(ctx)}).Err
}

// Receive waits until the scheduler delivers a message.
func (t *turnstile) Receive(_ context.Context, queue string, _ int, _ time.Duration) ([]driver.Message, error) {
	a := t.submit(Call{Method: Receive, Target: queue})
	return a.Messages, a.Err
}

// Update implements driver.Queues. The visibility timeout has no effect but on what is
// shown, because the scheduler may deliver the message at any time.
func (t *turnstile) Update(_ context.Context, queue string, m driver.Message, lease time.Duration) (string, error) {
	a := t.submit(Call{Method: Update, Target: queue, Message: m, Hidden: lease > 0})
	return a.Receipt, a.Err
}

// Delete implements driver.Queues.
func (t *turnstile) Delete(_ context.Context, queue string, m driver.Message) error {
	return t.submit(Call{Method: Settle, Target: queue, Message: driver.Message{ID: m.ID, Receipt: m.Receipt}}).Err
}

// Peek is refused: no actor may depend on what is on the queue.
func (t *turnstile) Peek(context.Context, string, int) ([]driver.Message, error) {
	return nil, errors.New("no actor of the lab peeks")
}

// Ping finds the queue.
func (t *turnstile) Ping(context.Context, string) error { return nil }

// Length implements driver.Queues.
func (t *turnstile) Length(_ context.Context, queue string) (int64, error) {
	a := t.submit(Call{Method: Length, Target: queue})
	return a.Length, a.Err
}
