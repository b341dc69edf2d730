package lab

import (
	"context"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// TargetPrefix begins the names of the tables and queues of the new store.
const TargetPrefix = "New"

// tableMoves says whether a store is frozen.
const tableMoves = "Moves"

// withTarget adds the tables and queues of a new store.
func withTarget(s mem.Snapshot) mem.Snapshot {
	s = s.WithTable(tableMoves).WithTable(TargetPrefix + tableMoves)
	for _, name := range storage.DataTables() {
		s = s.WithTable(TargetPrefix + name)
	}
	return s.WithQueue(TargetPrefix + domain.QueueName).WithQueue(TargetPrefix + domain.PoisonQueueName)
}

// newStore is the content of the new store alone.
func newStore(s mem.Snapshot) (mem.Snapshot, error) {
	content := emptyBackend()
	for _, name := range storage.DataTables() {
		var rows []driver.Entity
		for row := range s.Rows(TargetPrefix + name) {
			rows = append(rows, row)
		}
		var err error
		if content, err = content.WithRows(name, rows); err != nil {
			return content, err
		}
	}
	for _, queue := range []string{domain.QueueName, domain.PoisonQueueName} {
		for _, m := range s.Messages(TargetPrefix + queue) {
			var err error
			if content, err = content.Send(queue, m.ID, m.Text); err != nil {
				return content, err
			}
		}
	}
	return content, nil
}

// target is the new store: the tables and queues of other names.
type target struct{ b backend }

// LastFirst implements driver.OneByOne.
func (t target) LastFirst() bool { return t.b.LastFirst() }

// CreateTable implements driver.Tables, as do Get, Range, Scan and Transact.
func (t target) CreateTable(ctx context.Context, table string) error {
	return t.b.CreateTable(ctx, TargetPrefix+table)
}

// Get implements driver.Tables.
func (t target) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return t.b.Get(ctx, TargetPrefix+table, partition, row)
}

// Range implements driver.Tables.
func (t target) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return t.b.Range(ctx, TargetPrefix+table, q)
}

// Scan implements driver.Tables.
func (t target) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return t.b.Scan(ctx, TargetPrefix+table, q)
}

// Transact implements driver.Tables.
func (t target) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	return t.b.Transact(ctx, TargetPrefix+table, partition, ops)
}

// CreateQueue implements driver.Queues, as do the others.
func (t target) CreateQueue(ctx context.Context, queue string) error {
	return t.b.CreateQueue(ctx, TargetPrefix+queue)
}

// Send implements driver.Queues.
func (t target) Send(ctx context.Context, queue, text string) error {
	return t.b.Send(ctx, TargetPrefix+queue, text)
}

// Receive implements driver.Queues.
func (t target) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	return t.b.Receive(ctx, TargetPrefix+queue, limit, lease)
}

// Update implements driver.Queues.
func (t target) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (string, error) {
	return t.b.Update(ctx, TargetPrefix+queue, m, lease)
}

// Delete implements driver.Queues.
func (t target) Delete(ctx context.Context, queue string, m driver.Message) error {
	return t.b.Delete(ctx, TargetPrefix+queue, m)
}

// Peek implements driver.Queues.
func (t target) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	return t.b.Peek(ctx, TargetPrefix+queue, limit)
}

// Ping implements driver.Queues.
func (t target) Ping(ctx context.Context, queue string) error {
	return t.b.Ping(ctx, TargetPrefix+queue)
}

// Length implements driver.Queues.
func (t target) Length(ctx context.Context, queue string) (int64, error) {
	return t.b.Length(ctx, TargetPrefix+queue)
}
