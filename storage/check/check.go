package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/deletion"
	"microblogging/storage/directory"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// Counts counts what a check has read.
type Counts struct {
	Channels int `json:"channels"`
	Blogs    int `json:"blogs"`
	Rows     int `json:"rows"`
	// Retired rows are of an earlier version. Nobody reads them, and a repair removes them.
	Retired int `json:"retired,omitempty"`
}

// A Checker reads every table and compares what it finds with the invariants of
// package domain. It streams: its memory does not grow with the number of rows.
// It may run while other processes work. Rows that are read at different times need
// not agree, so that it reads again whatever looks wrong before it reports a breach.
type Checker struct {
	// Patience is how long a deletion may make no progress while the queue is empty.
	Patience time.Duration
	// Repair repairs what can be repaired safely. It deletes a row only in the
	// version that it read.
	Repair bool
	// Report is called with each breach when it is found.
	Report func(domain.Breach)
	// Poisoned is called with each deletion that waits in poison for an operator,
	// unless it is nil. That is no breach.
	Poisoned func(domain.Deletion)
	// Unread is called with the text of each message that no worker could read and that
	// waits in poison, unless it is nil. That is no breach.
	Unread func(text string)

	store  *store
	counts Counts
}

// A store is what a check reads, and by which it repairs.
type store struct {
	*channel.Lifecycle
	*deletion.Deletions
	*reader.Readers
	*directory.Directory

	channels, blogs, deletions, subscriptions, users, sessions, throttle *driver.Table
}

// New returns a checker of the store on a backend, by the rooms that work on it. See the fields
// of Checker.
func New(backend driver.Backend, channels *channel.Lifecycle, deletions *deletion.Deletions, readers *reader.Readers,
	lists *directory.Directory, patience time.Duration, repair bool, report func(domain.Breach)) *Checker {
	table := func(name string) *driver.Table { return driver.NewTable(backend, name) }
	return &Checker{Patience: patience, Repair: repair, Report: report, store: &store{
		Lifecycle: channels, Deletions: deletions, Readers: readers, Directory: lists,
		channels:      table(schema.TableChannels),
		blogs:         table(schema.TableBlogs),
		deletions:     table(schema.TableDeletions),
		subscriptions: table(schema.TableSubscriptions),
		users:         table(schema.TableUsers),
		sessions:      table(schema.TableSessions),
		throttle:      table(schema.TableThrottle),
	}}
}

// Run checks all tables once. It returns an error if a read or a repair fails, not
// if there are breaches.
func (c *Checker) Run(ctx context.Context) (Counts, error) {
	if err := c.checkPartitions(ctx); err != nil {
		return c.counts, err
	}
	if err := c.checkDeletions(ctx); err != nil {
		return c.counts, err
	}
	if err := c.checkSubscriptions(ctx); err != nil {
		return c.counts, err
	}
	for _, table := range []*driver.Table{c.store.users, c.store.sessions, c.store.throttle} {
		for row, err := range table.All(ctx, driver.Scan{}) {
			if err == nil {
				_, _, err = c.judge(ctx, table, row)
			}
			if err != nil {
				return c.counts, fmt.Errorf("checking table %s: %w", table.Name(), err)
			}
		}
	}
	return c.counts, nil
}

// checkPartitions reads Channels and Blogs side by side, both in key order. So it
// meets each partition together with its channel. It also meets the channels
// without a partition, and the partitions without a channel.
func (c *Checker) checkPartitions(ctx context.Context) error {
	channels := newStream(c.store.channels.All(ctx, driver.Scan{}))
	defer channels.stop()
	blogs := newStream(c.store.blogs.All(ctx, driver.Scan{}))
	defer blogs.stop()
	for !channels.ended || !blogs.ended {
		if err := errors.Join(channels.err, blogs.err); err != nil {
			return fmt.Errorf("reading the channels and their posts: %w", err)
		}
		partition := partitionCheck{Checker: c}
		partition.key = earlier(channels, blogs)
		if !channels.ended && channels.head.Partition == partition.key {
			partition.channel = channel.Decode(channels.head).Channel
			_, sound, err := c.judge(ctx, c.store.channels, channels.head)
			if err == nil && sound {
				err = c.relist(ctx, partition.channel)
			}
			if err != nil {
				return err
			}
			partition.unjudged = !sound
			c.counts.Channels++
			channels.advance()
		}
		for !blogs.ended && blogs.err == nil && blogs.head.Partition == partition.key {
			if schema.Blog.Has(blogs.head.Row) {
				c.counts.Blogs++
			}
			if partition.unjudged {
				c.counts.Rows++
			} else if err := partition.row(ctx, blogs.head); err != nil {
				return err
			}
			blogs.advance()
		}
		if blogs.err == nil && !partition.unjudged {
			if err := partition.end(ctx); err != nil {
				return err
			}
		}
	}
	return errors.Join(channels.err, blogs.err)
}

// relist puts a channel on its owner's list, if the checker repairs. One that is missing
// there is no breach: an earlier version had other lists.
func (c *Checker) relist(ctx context.Context, channel domain.Channel) error {
	if !c.Repair || channel.State != domain.ChannelActive {
		return nil
	}
	_, err := c.store.users.Get(ctx, schema.UserPartition(channel.Owner), schema.OwnedRow(channel.Key()))
	if errors.Is(err, domain.ErrNotFound) {
		err = c.store.ListChannel(ctx, channel)
	}
	if errors.Is(err, domain.ErrLimit) {
		return nil // nobody can have that name
	}
	return err
}

// checkDeletions is the part of I5 about progress: it reports the deletions that
// are deletion.Stalled. None is while there are messages on the queue: one of them may be its own,
// and waits for a worker.
func (c *Checker) checkDeletions(ctx context.Context) error {
	waiting, err := c.store.Messages().Length(ctx)
	if err != nil {
		return fmt.Errorf("counting the messages on the queue: %w", err)
	}
	var since time.Time
	if waiting == 0 {
		since = time.Now().Add(-c.Patience)
	}
	for row, err := range c.store.deletions.All(ctx, driver.Scan{}) {
		if err != nil {
			return fmt.Errorf("reading the deletions: %w", err)
		}
		kind, sound, err := c.judge(ctx, c.store.deletions, row)
		if err != nil {
			return err
		}
		if !sound {
			continue
		}
		switch kind {
		case schema.Unread:
			c.tellUnread(row)
			continue
		case schema.Lesson, schema.OpenDeletion:
			continue
		}
		d := deletion.Decode(row)
		if d.State == domain.DeletionPoisoned && c.Poisoned != nil {
			c.Poisoned(d)
		}
		if !deletion.Stalled(d, since) {
			continue
		}
		breach := domain.Breach{
			Invariant: "I5", Table: schema.TableDeletions, PartitionKey: row.Partition, RowKey: row.Row,
			Detail: fmt.Sprintf("%s since %s without progress", d.State, d.UpdatedOn.Format(time.RFC3339)),
		}
		if c.Repair {
			requeued, err := c.store.RequeueDeletion(ctx, d.Message(), since)
			if err != nil {
				return err
			}
			if breach.Repaired = "queued again"; !requeued {
				breach.Repaired = leftChanged
			}
		}
		c.Report(breach)
	}
	return nil
}

// tellUnread tells of a message that could not be decoded, if it waits for an operator.
func (c *Checker) tellUnread(row driver.Entity) {
	if text, waits, err := deletion.UnreadText(row); err == nil && waits && c.Unread != nil {
		c.Unread(text)
	}
}

// leftChanged is what a breach reports as Repaired if somebody else wrote what the repair
// had read.
const leftChanged = "left: it changed in between"

// delete deletes a row in the version that was read, if the checker repairs. It returns what a
// breach reports as Repaired.
func (c *Checker) delete(ctx context.Context, table *driver.Table, row driver.Entity) (string, error) {
	return c.remove(row, func(op driver.Operation) error { return table.Transact(ctx, row.Partition, op) })
}

// remove is delete by a transaction of the caller's.
func (c *Checker) remove(row driver.Entity, send func(driver.Operation) error) (string, error) {
	if !c.Repair {
		return "", nil
	}
	err := send(driver.Delete(row.Row, driver.Match(row.ETag)))
	switch {
	case err == nil:
		return "deleted", nil
	case errors.Is(err, domain.ErrLimit):
		return "left: no operation can name it", nil
	case errors.Is(err, channel.ErrGateGone):
		return "left: its channel has no open gate", nil
	case optimistic.Raced(err):
		return leftChanged, nil
	default:
		return "", fmt.Errorf("repairing: %w", err)
	}
}
