package azure

import "context"

// Drop removes tables with all of their rows, and queues with their messages, up to the first that
// cannot be removed. What is not there is no error. Azure refuses to create a table of that name
// for a while. A write that is under way may fail, or create the table again. No operation of the
// site calls Drop; tests and measurements remove with it what they have made.
func (c *Client) Drop(ctx context.Context, tables, queues []string) error {
	for _, table := range tables {
		err := c.guarded(ctx, "drop table", table, func() error {
			_, err := c.tables.DeleteTable(ctx, table, nil)
			return err
		})
		if err = accepted(err, "TableNotFound", "ResourceNotFound", "TableBeingDeleted"); err != nil {
			return err
		}
	}
	for _, queue := range queues {
		err := c.guarded(ctx, "drop queue", queue, func() error {
			_, err := c.queues.DeleteQueue(ctx, queue, nil)
			return err
		})
		if err = accepted(err, "QueueNotFound", "QueueBeingDeleted"); err != nil {
			return err
		}
	}
	return nil
}
