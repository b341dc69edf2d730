// Package check compares the rows of a store with the invariants of package domain, and repairs
// what can be repaired safely. It may run while requests and workers run.
package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// Counts counts what a check has read.
type Counts struct {
	Channels int `json:"channels"`
	Blogs    int `json:"blogs"`
	Rows     int `json:"rows"`
	// Poisoned are the messages that wait for an operator. They are no violation.
	Poisoned int `json:"poisoned"`
}

// A Checker reads every table and compares what it finds with the invariants of
// package domain. It streams: its memory does not grow with the number of rows.
// It may run while other processes work. Rows that are read at different times need
// not agree, so that it reads again whatever looks wrong before it reports a violation.
type Checker struct {
	// Patience is how long a deletion may make no progress while the queue is empty.
	Patience time.Duration
	// Repair repairs what can be repaired safely. It deletes a row only in the
	// version that it read.
	Repair bool
	// Report is called with each violation when it is found.
	Report func(domain.Violation)
	// Poisoned is called with each message that waits for an operator, unless it is nil. That is no
	// violation, and is counted.
	Poisoned func(deletion.PoisonMessage)

	store  *store
	counts Counts
}

// Steps are the steps by which a check reads and repairs.
type Steps struct {
	*fence.Fence
	Deletions
	Channels
	Posts
	Readers
}

// The steps of the packages that a check judges.
type (
	Deletions = deletion.Steps
	Channels  = channel.Steps
	Posts     = blog.Steps
	Readers   = reader.Steps
)

// A store is what a check reads, and by which it repairs.
type store struct {
	Steps

	channels, blogs, deletions, subscriptions, users *driver.Table
	// others are the tables whose rows are compared with no other row.
	others []*driver.Table
}

// New returns a checker of the store on a backend. See the fields of Checker.
func New(backend driver.Backend, steps Steps, patience time.Duration, repair bool, report func(domain.Violation)) *Checker {
	table := func(name string) *driver.Table { return driver.NewTable(backend, name) }
	return &Checker{Patience: patience, Repair: repair, Report: report, store: &store{
		Steps:         steps,
		channels:      table(schema.TableChannels),
		blogs:         table(schema.TableBlogs),
		deletions:     table(schema.TableDeletions),
		subscriptions: table(schema.TableSubscriptions),
		users:         table(schema.TableUsers),
		others:        []*driver.Table{table(schema.TableSessions), table(schema.TableThrottle), table(schema.TableActivity)},
	}}
}

// Run checks all tables once. It returns an error if a read or a repair fails, not
// if there are violations.
func (c *Checker) Run(ctx context.Context) (Counts, error) {
	for _, check := range []func(context.Context) error{c.checkPartitions, c.checkDeletions, c.checkUsers, c.checkOthers} {
		if err := check(ctx); err != nil {
			return c.counts, err
		}
	}
	return c.counts, nil
}

// checkOthers judges the rows that are compared with no other row.
func (c *Checker) checkOthers(ctx context.Context) error {
	for _, table := range c.store.others {
		//lab: Read every row of the table.
		for row, err := range table.All(ctx, driver.Scan{}) {
			if err == nil {
				_, _, err = c.judge(ctx, table, row)
			}
			if err != nil {
				return fmt.Errorf("checking table %s: %w", table.Name(), err)
			}
		}
	}
	return nil
}

// checkPartitions reads Channels and Blogs side by side, both in key order. So it
// meets each partition together with its channel. It also meets the channels
// without a partition, and the partitions without a channel.
func (c *Checker) checkPartitions(ctx context.Context) error {
	p := &partitionCheck{Checker: c}
	err := sideBySide(ctx, c.store.channels, c.store.blogs, func(table *driver.Table, row driver.Entity) error {
		if row.Partition != p.key {
			if err := p.end(ctx); err != nil {
				return err
			}
			p = &partitionCheck{Checker: c, key: row.Partition}
		}
		kind, sound, err := c.judge(ctx, table, row)
		switch {
		case err != nil:
			return err
		case kind == schema.Channel:
			return p.begin(ctx, row, sound)
		case sound && !p.unjudged:
			return p.row(ctx, kind, row)
		}
		return nil
	})
	if err == nil {
		err = p.end(ctx)
	}
	if err != nil {
		return fmt.Errorf("checking the channels and their posts: %w", err)
	}
	return nil
}

// sideBySide visits the rows of two tables in the order of their keys, and that of the first table before that of
// the second if both have a key.
func sideBySide(ctx context.Context, first, second *driver.Table, visit func(*driver.Table, driver.Entity) error) error {
	rows := func(table *driver.Table) iter.Seq2[driver.Entity, error] {
		return func(yield func(driver.Entity, error) bool) {
			//lab: Read the rows of the table, in the order of their keys.
			table.All(ctx, driver.Scan{})(yield)
		}
	}
	return driver.SideBySide(rows(first), rows(second), func(a, b *driver.Entity) (err error) {
		if a != nil {
			err = visit(first, *a)
		}
		if b != nil {
			err = errors.Join(err, visit(second, *b))
		}
		return err
	})
}
