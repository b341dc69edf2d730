package load

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// An Account is a backend that many share. It can remove a whole table or queue, without a request
// for each of its rows.
type Account interface {
	driver.Backend
	Drop(ctx context.Context, tables, queues []string) error
}

// A Namespace is the tables and queues of one run in an account. Their names begin with a mark that
// no other program uses, and an id of the run.
type Namespace struct {
	account Account
	id      string
}

// NewNamespace returns a namespace of its own.
func NewNamespace(account Account) Namespace {
	return Namespace{account, strings.ToLower(rand.Text()[:10])}
}

// Remove removes the tables and queues with all that is in them.
func (n Namespace) Remove(ctx context.Context) error {
	var tables []string
	for _, name := range storage.DataTables() {
		tables = append(tables, n.table(name))
	}
	if err := n.account.Drop(ctx, tables, []string{n.queue(domain.QueueName), n.queue(domain.PoisonQueueName)}); err != nil {
		return fmt.Errorf("%s could not all be removed: %w", n, err)
	}
	return nil
}

// String says which tables and queues it has.
func (n Namespace) String() string {
	return fmt.Sprintf("the tables %s… and the queues %s…", n.table(""), n.queue(""))
}

func (n Namespace) table(name string) string { return "MicroBloggingLoad" + n.id + name }

func (n Namespace) queue(name string) string { return "microblogging-load-" + n.id + "-" + name }

// Backend returns the namespace as a backend: the names of the site stand for its own.
func (n Namespace) Backend() driver.Backend {
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
