package azure

import (
	"context"
	"errors"
)

// No operation of the site drops tables and queues; the load test does, with those that it made
// itself.

// Drop removes tables with all of their rows, and queues with their messages. What is not there
// is no error. Azure refuses to create a table of that name for a while. A write that is under
// way may fail, or create the table again.
func (c *Client) Drop(ctx context.Context, tables, queues []string) (err error) {
	for _, table := range tables {
		err = errors.Join(err, accepted(c.guarded(ctx, "drop table", table, func() error {
			_, err := c.tables.DeleteTable(ctx, table, nil)
			return err
		}), "TableNotFound", "ResourceNotFound", "TableBeingDeleted"))
	}
	for _, queue := range queues {
		err = errors.Join(err, accepted(c.guarded(ctx, "drop queue", queue, func() error {
			_, err := c.queues.DeleteQueue(ctx, queue, nil)
			return err
		}), "QueueNotFound", "QueueBeingDeleted"))
	}
	return err
}
