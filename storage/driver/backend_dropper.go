package driver

import "context"

// A Dropper is a backend that keeps its tables and queues beside those of others, as an
// Azure account does. It can tell which are there, and remove a whole one without a
// request for each of its rows. No operation of the site drops anything. The load test
// does, with tables and queues that it made itself.
//
// An embedded store is none: whoever wants tables of their own opens a file of their own,
// and removes the file.
type Dropper interface {
	// TableNames returns the names of the tables that start with the prefix. Azure
	// compares names without regard to case, and so does this.
	TableNames(ctx context.Context, prefix string) ([]string, error)
	// QueueNames returns the names of the queues that start with the prefix.
	QueueNames(ctx context.Context, prefix string) ([]string, error)
	// DropTable removes a table with all of its rows, or does nothing if it is not there.
	// Azure refuses to create a table of that name for a while. A write that is under way
	// may fail, or create the table again.
	DropTable(ctx context.Context, table string) error
	// DropQueue does the same with a queue and its messages.
	DropQueue(ctx context.Context, queue string) error
}
