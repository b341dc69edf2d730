package move

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

// A Side is the source or the target of a copy.
type Side struct {
	// Name is what an operator calls it.
	Name string
	driver.Backend
}

// Options are the settings of a copy.
type Options struct {
	// Flight is how many transactions run concurrently. Zero means 1.
	Flight int
	// Progress, if it is not nil, is told what the copy does, and how many rows more it has
	// walked over.
	Progress func(doing string, rows int)
}

// A Result says what a copy has found and done.
type Result struct {
	// Rows counts the rows by table. They are the same in both stores.
	Rows map[string]int
	// Messages counts the messages that this run has sent.
	Messages int
}

// A RefusedError says why a copy did not begin. Nothing was changed.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// ErrChanged: a store was written to during the copy.
var ErrChanged = errors.New("was written to during the copy: stop its roles, and run the copy again")

// copier is one run of a copy.
type copier struct {
	Options
	from   source
	to     Side
	result Result
	// ended is whether the target has rows of the present version: the copy has ended, or it is another store.
	ended bool
	// filled is the sum of the source's versions that fill has read.
	filled uint64
	seed   maphash.Seed
}

// version is a hash of the version of a row. The sums of two walks differ if a row was written to between them.
func (c *copier) version(table string, row *driver.Entity) uint64 {
	if row == nil {
		return 0
	}
	return maphash.Comparable(c.seed, [...]string{table, row.Partition, row.Row, string(row.ETag)})
}

// Copy copies a store, or goes on with a copy of it. The errors are a *RefusedError,
// ErrChanged, and those of the stores. See the package.
func Copy(ctx context.Context, from, to Side, o Options) (Result, error) {
	o.Flight = max(o.Flight, 1)
	if o.Progress == nil {
		o.Progress = func(string, int) {}
	}
	c := &copier{Options: o, from: source{Side: from}, to: to, result: Result{Rows: map[string]int{}}, seed: maphash.MakeSeed()}
	for _, step := range []func(context.Context) error{c.open, c.prepare, c.look, c.begin, c.fill, c.copyMessages, c.compare, c.end} {
		if err := step(ctx); err != nil || c.ended {
			return c.result, err
		}
	}
	return c.result, nil
}

// open reads of which version the source is, and refuses a row that the version does not have. So nothing is
// written to the target before every row of the source was understood.
func (c *copier) open(ctx context.Context) error {
	err := storage.New(c.from, storage.Options{}).Operator.Whole(ctx)
	if err == nil {
		err = c.from.open(ctx, func(rows int) { c.Progress("reading the earlier version", rows) })
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.from.Name, err)
	}
	return nil
}

// prepare creates the tables of the target. It refuses a store of another version.
func (c *copier) prepare(ctx context.Context) error {
	of, err := version.Read(ctx, c.to)
	switch {
	case errors.Is(err, domain.ErrMissing):
		err = nil // CreateTables makes the table, or says that it was lost
	case err == nil && of != version.Unfinished:
		if _, err = version.Accept(ctx, c.to); errors.Is(err, version.ErrRefused) {
			err = fmt.Errorf("%w: it is not empty, and not of version %s; copy to an empty store", version.ErrRefused, schema.CurrentVersion)
		}
	}
	if err == nil {
		err = storage.New(c.to, storage.Options{}).Operator.CreateTables(ctx)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.to.Name, err)
	}
	return nil
}

// look refuses a target that holds what the source does not. If the copy has ended, it may be in use: so it is
// only compared, since a row that it lacks may have been deleted there.
func (c *copier) look(ctx context.Context) error {
	empty, err := version.Empty(ctx, c.to)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.to.Name, err)
	}
	if empty {
		n, err := driver.NewQueue(c.to, domain.QueueName).Length(ctx)
		if err == nil && n > 0 {
			return &RefusedError{fmt.Sprintf("%s is not empty: it has messages on the queue %s; copy to an empty store", c.to.Name, domain.QueueName)}
		}
		return err
	}
	of, err := version.Read(ctx, c.to)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.to.Name, err)
	}
	c.ended = of != version.Unfinished
	return c.walk(ctx, "looking at what is there", c.refuse)
}

// refuse refuses a target that is not empty because of a row of either store.
func (c *copier) refuse(table string, source, target *driver.Entity) error {
	switch equal := source != nil && target != nil && same(source.Properties, target.Properties); {
	case c.ended && !equal:
		return &RefusedError{fmt.Sprintf("%s is not empty, and no unfinished copy: this copy has ended, or the store is in use, and its table %s is not that of %s; copy to an empty store", c.to.Name, table, c.from.Name)}
	case c.ended:
		c.result.Rows[table]++
	case target != nil && !equal:
		return &RefusedError{fmt.Sprintf("%s is not empty, and no unfinished copy of %s: its table %s has other rows; copy to an empty store", c.to.Name, c.from.Name, table)}
	}
	return nil
}

// begin says in the target that it is no store yet. No role starts there, and one that runs there ends.
func (c *copier) begin(ctx context.Context) error { return c.mark(ctx, version.Unfinished) }

// end makes the target a store.
func (c *copier) end(ctx context.Context) error { return c.mark(ctx, schema.CurrentVersion) }

func (c *copier) mark(ctx context.Context, of string) error {
	if err := version.Replace(ctx, c.to, of); err != nil {
		return fmt.Errorf("writing the version of %s: %w", c.to.Name, err)
	}
	return nil
}

// fill inserts the rows that the target lacks.
func (c *copier) fill(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	group.SetLimit(c.Flight)
	var next []driver.Entity // the rows of the next transaction, of one partition
	var into string
	send := func() {
		if rows, table := next, driver.NewTable(c.to, into); len(rows) > 0 {
			group.Go(func() error { return insert(grouped, table, rows) })
			next = nil
		}
	}
	err := c.walk(grouped, "copying", func(table string, source, target *driver.Entity) error {
		c.filled += c.version(table, source)
		if target != nil {
			return nil
		}
		if len(next) == driver.MaxOperations || into != table || len(next) > 0 && next[0].Partition != source.Partition {
			send()
		}
		into, next = table, append(next, *source)
		return nil
	})
	if err == nil {
		send()
	}
	if failed := group.Wait(); failed != nil {
		return fmt.Errorf("copying to %s: %w", c.to.Name, failed)
	}
	return err
}

// insert writes rows of one partition. A transaction that is too large is halved.
func insert(ctx context.Context, table *driver.Table, rows []driver.Entity) error {
	ops := make([]driver.Operation, len(rows))
	for i, row := range rows {
		ops[i] = driver.Insert(row.Row, row.Properties...)
	}
	err := table.Transact(ctx, rows[0].Partition, ops...)
	switch {
	case errors.Is(err, domain.ErrExists):
		return nil // a self-conflict of this insert; if it is not, the comparison tells
	case errors.Is(err, domain.ErrLimit) && len(rows) > 1:
		if err := insert(ctx, table, rows[:len(rows)/2]); err != nil {
			return err
		}
		return insert(ctx, table, rows[len(rows)/2:])
	}
	return err
}

// compare counts the rows, and fails if the stores differ. The source is the side that changed if it has other
// versions than those that were copied.
func (c *copier) compare(ctx context.Context) error {
	compared, differ := uint64(0), false
	err := c.walk(ctx, "comparing", func(table string, source, target *driver.Entity) error {
		compared += c.version(table, source)
		if source == nil || target == nil || !same(source.Properties, target.Properties) {
			differ = true
			return nil
		}
		c.result.Rows[table]++
		return nil
	})
	switch {
	case err != nil || !differ:
		return err
	case compared != c.filled:
		return fmt.Errorf("%s %w", c.from.Name, ErrChanged)
	}
	return fmt.Errorf("%s %w", c.to.Name, ErrChanged)
}

const (
	// lease is how long a message of the source is invisible after a copy that has sent it.
	lease = 2 * time.Minute
	// lookEvery is the time between two looks for messages that are not visible: another process has leased them,
	// such as a worker that was killed or a copy, or they are delayed.
	lookEvery = 2 * time.Second
)

// copyMessages receives every message of the source and sends it to the target. It does not remove
// them: the source shows them again when the lease ends. Each run sends all of them, because the number that
// the target has does not say which: a client may have sent some twice, and a run that was killed the first
// ones alone, which the next run receives first.
func (c *copier) copyMessages(ctx context.Context) error {
	from, to := driver.NewQueue(c.from, domain.QueueName), driver.NewQueue(c.to, domain.QueueName)
	failed := func(err error) error { return fmt.Errorf("copying the queue %s: %w", domain.QueueName, err) }
	for known := map[string]bool{}; ; {
		n, err := from.Length(ctx) // it may be too high for a while, and never too low
		if err != nil {
			return failed(err)
		}
		if int(n) <= c.result.Messages {
			return nil
		}
		messages, err := from.Receive(ctx, driver.MaxReceive, lease)
		if err != nil {
			return failed(err)
		}
		for _, m := range messages {
			if known[m.ID] {
				continue
			}
			if err := to.Send(ctx, m.Text); err != nil {
				return failed(err)
			}
			known[m.ID] = true
			c.result.Messages++
		}
		if len(messages) > 0 {
			continue
		}
		c.Progress(fmt.Sprintf("waiting until %d messages are visible, which a process has leased or which are delayed", int(n)-c.result.Messages), 0)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}
