package load

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

// A Namespace is the tables and queues of one run in an account that others share. Their names
// begin with a mark that no other program uses, and an id of the run.
type Namespace struct {
	account *azure.Client
	id      string
}

// OpenNamespace returns an account, whose tries are counted, and a namespace in it. It sends
// nothing yet.
func OpenNamespace(account azure.Config) (Namespace, error) {
	account.Tried = func(ctx context.Context, try azure.Try) {
		if c := costOf(ctx); c != nil && try.Throttled() {
			c.throttled.Add(1)
		}
	}
	client, err := azure.Open(account)
	return Namespace{client, strings.ToLower(rand.Text()[:10])}, err
}

// Remove removes the tables and queues with all that is in them, without a request for each row,
// and closes the account.
func (n Namespace) Remove(ctx context.Context) error {
	defer n.account.Close()
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
