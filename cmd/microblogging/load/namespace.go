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

// An Account is a backend that many share. It can tell which tables and queues are there,
// and remove a whole one without a request for each of its rows.
type Account interface {
	driver.Backend
	// TableNames returns the names of the tables that start with the prefix, in any case.
	TableNames(ctx context.Context, prefix string) ([]string, error)
	// QueueNames returns the names of the queues that start with the prefix.
	QueueNames(ctx context.Context, prefix string) ([]string, error)
	// DropTable removes a table with all of its rows, or does nothing if it is not there.
	// DropQueue does the same with a queue and its messages.
	DropTable(ctx context.Context, table string) error
	DropQueue(ctx context.Context, queue string) error
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
	return Ground{Backend: n.backend(), Remove: func(ctx context.Context) error {
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

// backend returns the namespace as a backend: the names of the site stand for its own.
func (n Namespace) backend() driver.Backend {
	return driver.Wrap(n.account, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		name := c.Target
		defer func() { c.Target = name }()
		if c.OfQueue() {
			c.Target = n.queue(name)
		} else {
			c.Target = n.table(name)
		}
		return next(ctx)
	})
}
