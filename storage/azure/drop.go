package azure

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"
)

// TableNames returns the names of the tables that start with the prefix, without regard to
// case, as Azure compares them. An account has few tables, so it reads the names of all: a
// comparison by the service would heed the case. No operation of the site lists or drops
// tables and queues; the load test does, with those that it made itself.
func (c *Client) TableNames(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	pager := c.tables.NewListTablesPager(nil)
	for pager.More() {
		var reply aztables.ListTablesResponse
		err := c.guarded(ctx, "list", "tables", func() (err error) {
			reply, err = pager.NextPage(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, table := range reply.Tables {
			if name := value(table.Name); hasPrefixFold(name, prefix) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// QueueNames returns the names of the queues that start with the prefix.
func (c *Client) QueueNames(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	pager := c.queues.NewListQueuesPager(&azqueue.ListQueuesOptions{Prefix: optional(prefix)})
	for pager.More() {
		var reply azqueue.ListQueuesResponse
		err := c.guarded(ctx, "list", "queues", func() (err error) {
			reply, err = pager.NextPage(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, queue := range reply.Queues {
			names = append(names, value(queue.Name))
		}
	}
	return names, nil
}

// DropTable removes a table with all of its rows, or does nothing if it is not there. Azure
// refuses to create a table of that name for a while. A write that is under way may fail, or
// create the table again.
func (c *Client) DropTable(ctx context.Context, table string) error {
	err := c.guarded(ctx, "drop table", table, func() error {
		_, err := c.tables.DeleteTable(ctx, table, nil)
		return err
	})
	if hasCode(err, tableNotFound) || hasCode(err, resourceNotFound) || hasCode(err, tableBeingDeleted) {
		return nil
	}
	return err
}

// DropQueue does the same with a queue and its messages.
func (c *Client) DropQueue(ctx context.Context, queue string) error {
	err := c.guarded(ctx, "drop queue", queue, func() error {
		_, err := c.queues.DeleteQueue(ctx, queue, nil)
		return err
	})
	if hasCode(err, queueNotFound) || hasCode(err, queueBeingDeleted) {
		return nil
	}
	return err
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
