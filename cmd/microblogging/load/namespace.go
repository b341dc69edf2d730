package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"microblogging/storage/driver"
)

// An Account is a backend that many share.
type Account interface {
	driver.Tables
	driver.Queues
	driver.Dropper
}

// A Namespace is the tables and queues of one run in an account. Their names start with a
// mark that no other program uses, and an id of this run.
type Namespace struct {
	account Account
	id      string
}

const (
	tableMark = "MicroBloggingLoad"
	queueMark = "microblogging-load-"
	// idLength is how long an id is: 50 random bits. With it, names keep within the 63
	// characters that Azure allows.
	idLength = 10
	// openTime bounds how long it takes to make the first table and the row in it.
	openTime = 30 * time.Second
)

func newNamespace(account Account) Namespace {
	return Namespace{account, strings.ToLower(rand.Text()[:idLength])}
}

func (n Namespace) table(name string) string { return tableMark + n.id + name }

func (n Namespace) queue(name string) string { return queueMark + n.id + "-" + name }

// namespaceOf returns the id in the name of a table or of a queue.
func namespaceOf(name string) (id string, ok bool) {
	for _, mark := range []string{tableMark, queueMark} {
		if len(name) >= len(mark)+idLength && strings.EqualFold(name[:len(mark)], mark) {
			return strings.ToLower(name[len(mark) : len(mark)+idLength]), true
		}
	}
	return "", false
}

// OpenNamespace returns a ground of its own in an account. Until it is removed, a heartbeat
// tells other loads that it is in use. If ctx ends it goes on, for openTime at most: a call
// that is cut off may have made a table, which nobody would remove.
func OpenNamespace(ctx context.Context, account Account) (Ground, error) {
	n := newNamespace(account)
	opening, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
	defer cancel()
	if err := n.firstBeat(opening); err != nil {
		return Ground{}, err
	}
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		n.beat(beating)
	}()
	return Ground{Tables: n, Queues: n, Remove: func(ctx context.Context) error {
		stop()
		<-stopped // or the last beat would create its table again
		return n.remove(ctx)
	}}, nil
}

// remove drops the queues and the tables, and last the one with the heartbeat: if this
// process dies before, others find it by that.
func (n Namespace) remove(ctx context.Context) error {
	queues, err := n.account.QueueNames(ctx, queueMark+n.id)
	if err != nil {
		return n.notRemoved(err)
	}
	tables, err := n.account.TableNames(ctx, tableMark+n.id)
	if err != nil {
		return n.notRemoved(err)
	}
	var failed error
	for _, queue := range queues {
		failed = errors.Join(failed, n.account.DropQueue(ctx, queue))
	}
	for _, table := range tables {
		if !strings.EqualFold(table, n.table(beatTable)) {
			failed = errors.Join(failed, n.account.DropTable(ctx, table))
		}
	}
	if failed == nil {
		failed = n.account.DropTable(ctx, n.table(beatTable))
	}
	return n.notRemoved(failed)
}

func (n Namespace) notRemoved(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the tables %s… and the queues %s… could not all be removed, the next load will: %w",
		n.table(""), n.queue(""), err)
}

// CreateTable implements driver.Tables.
func (n Namespace) CreateTable(ctx context.Context, table string) error {
	return n.account.CreateTable(ctx, n.table(table))
}

// Get implements driver.Tables.
func (n Namespace) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return n.account.Get(ctx, n.table(table), partition, row)
}

// Range implements driver.Tables.
func (n Namespace) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return n.account.Range(ctx, n.table(table), q)
}

// Scan implements driver.Tables.
func (n Namespace) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return n.account.Scan(ctx, n.table(table), q)
}

// Transact implements driver.Tables.
func (n Namespace) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	return n.account.Transact(ctx, n.table(table), partition, ops)
}

// CreateQueue implements driver.Queues.
func (n Namespace) CreateQueue(ctx context.Context, queue string) error {
	return n.account.CreateQueue(ctx, n.queue(queue))
}

// Send implements driver.Queues.
func (n Namespace) Send(ctx context.Context, queue, text string) error {
	return n.account.Send(ctx, n.queue(queue), text)
}

// Receive implements driver.Queues.
func (n Namespace) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	return n.account.Receive(ctx, n.queue(queue), limit, lease)
}

// Update implements driver.Queues.
func (n Namespace) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (string, error) {
	return n.account.Update(ctx, n.queue(queue), m, lease)
}

// Delete implements driver.Queues.
func (n Namespace) Delete(ctx context.Context, queue string, m driver.Message) error {
	return n.account.Delete(ctx, n.queue(queue), m)
}

// Peek implements driver.Queues.
func (n Namespace) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	return n.account.Peek(ctx, n.queue(queue), limit)
}

// Ping implements driver.Queues.
func (n Namespace) Ping(ctx context.Context, queue string) error {
	return n.account.Ping(ctx, n.queue(queue))
}

// Length implements driver.Queues.
func (n Namespace) Length(ctx context.Context, queue string) (int64, error) {
	return n.account.Length(ctx, n.queue(queue))
}
