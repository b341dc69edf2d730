package load

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/storage/driver"
)

// An Account is a backend that many share. It can tell which tables and queues are there,
// and remove a whole one without a request for each of its rows.
type Account interface {
	driver.Backend
	Names(ctx context.Context) (tables, queues []string, err error)
	Drop(ctx context.Context, tables, queues []string) error
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
	return Namespace{account, id}, drop(ctx, account, func(id string) bool { return isOver(id, time.Now()) })
}

// isOver tells whether the run with an id has ended, whatever became of it.
func isOver(id string, now time.Time) bool {
	minutes, err := strconv.ParseInt(id[:endLength], 36, 64)
	return err == nil && now.Sub(time.Unix(minutes*60, 0)) > clocksDiffer
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
	tables, queues, err := account.Names(ctx)
	if err != nil {
		return err
	}
	others := func(mark string) func(string) bool {
		return func(name string) bool { id := idOf(name, mark); return id == "" || !goes(id) }
	}
	return account.Drop(ctx, slices.DeleteFunc(tables, others(tableMark)), slices.DeleteFunc(queues, others(queueMark)))
}

// idOf returns the id in a name that begins with a mark. Azure ignores the case of tables.
func idOf(name, mark string) string {
	if len(name) < len(mark)+idLength || !strings.EqualFold(name[:len(mark)], mark) {
		return ""
	}
	return strings.ToLower(name[len(mark) : len(mark)+idLength])
}

func (n Namespace) table(name string) string { return tableMark + n.id + name }

func (n Namespace) queue(name string) string { return queueMark + n.id + "-" + name }

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
