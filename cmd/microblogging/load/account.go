package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
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
// mark that no other program uses, and an id of the run.
type Namespace struct {
	account Account
	id      string
}

const (
	tableMark = "MicroBloggingLoad"
	queueMark = "microblogging-load-"
	// An id is when the run has ended at the latest, in minutes since 1970 and to the base
	// 36, and 25 random bits. With it, names keep within the 63 characters that Azure allows.
	endLength = 5
	idLength  = endLength + 5
	// clocksDiffer is more than the clocks of two machines do.
	clocksDiffer = time.Hour
)

// OpenAccount returns a namespace for a run that has ended by then. It removes those that
// loads have left which were killed: the time of their end has passed.
func OpenAccount(ctx context.Context, account Account, end time.Time) (Namespace, error) {
	id := strconv.FormatInt(end.Unix()/60, 36) + strings.ToLower(rand.Text()[:idLength-endLength])
	return Namespace{account, id}, drop(ctx, account, func(id string) bool {
		minutes, err := strconv.ParseInt(id[:endLength], 36, 64)
		return err == nil && time.Since(time.Unix(minutes*60, 0)) > clocksDiffer
	})
}

// Remove removes the tables and queues with all that is in them.
func (n Namespace) Remove(ctx context.Context) error {
	if err := drop(ctx, n.account, func(id string) bool { return id == n.id }); err != nil {
		return fmt.Errorf("the tables %s… and the queues %s… could not all be removed, a later load will: %w", n.table(""), n.queue(""), err)
	}
	return nil
}

// drop drops the tables and queues of some namespaces.
func drop(ctx context.Context, account Account, goes func(id string) bool) error {
	tables, err := account.TableNames(ctx, tableMark)
	if err != nil {
		return err
	}
	queues, err := account.QueueNames(ctx, queueMark)
	if err != nil {
		return err
	}
	var failed error
	for _, table := range tables {
		if id := idOf(table, tableMark); id != "" && goes(id) {
			failed = errors.Join(failed, account.DropTable(ctx, table))
		}
	}
	for _, queue := range queues {
		if id := idOf(queue, queueMark); id != "" && goes(id) {
			failed = errors.Join(failed, account.DropQueue(ctx, queue))
		}
	}
	return failed
}

// idOf returns the id in a name that begins with a mark. Azure ignores the case of tables.
func idOf(name, mark string) string {
	if len(name) < len(mark)+idLength {
		return ""
	}
	return strings.ToLower(name[len(mark) : len(mark)+idLength])
}

func (n Namespace) table(name string) string { return tableMark + n.id + name }

func (n Namespace) queue(name string) string { return queueMark + n.id + "-" + name }

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
