package azure

import (
	"context"
	"errors"
)

// No operation of the site lists or drops tables and queues; the load test does, with those that
// it made itself.

// Names returns the names of all tables and queues of the account.
func (c *Client) Names(ctx context.Context) (tables, queues []string, err error) {
	err = c.guarded(ctx, "list", "tables and queues", func() error {
		for pager := c.tables.NewListTablesPager(nil); pager.More(); {
			page, err := pager.NextPage(ctx)
			if err != nil {
				return err
			}
			for _, table := range page.Tables {
				tables = append(tables, value(table.Name))
			}
		}
		for pager := c.queues.NewListQueuesPager(nil); pager.More(); {
			page, err := pager.NextPage(ctx)
			if err != nil {
				return err
			}
			for _, queue := range page.Queues {
				queues = append(queues, value(queue.Name))
			}
		}
		return nil
	})
	return tables, queues, err
}

// Drop removes tables with all of their rows, and queues with their messages. What is not there
// is no error. Azure refuses to create a table of that name for a while. A write that is under
// way may fail, or create the table again.
func (c *Client) Drop(ctx context.Context, tables, queues []string) (err error) {
	for _, table := range tables {
		failed := c.guarded(ctx, "drop table", table, func() error {
			_, err := c.tables.DeleteTable(ctx, table, nil)
			return err
		})
		err = errors.Join(err, accepted(failed, "TableNotFound", "ResourceNotFound", "TableBeingDeleted"))
	}
	for _, queue := range queues {
		failed := c.guarded(ctx, "drop queue", queue, func() error {
			_, err := c.queues.DeleteQueue(ctx, queue, nil)
			return err
		})
		err = errors.Join(err, accepted(failed, "QueueNotFound", "QueueBeingDeleted"))
	}
	return err
}
