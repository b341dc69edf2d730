package azure

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

var _ driver.Dropper = (*Client)(nil)

// TableNames implements driver.Dropper. An account has few tables, so it reads the names of
// all: a comparison by the service would heed the case.
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

// QueueNames implements driver.Dropper.
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

// DropTable implements driver.Dropper.
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

// DropQueue implements driver.Dropper.
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
