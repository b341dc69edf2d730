package blog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Each channel is a partition of its own, so the newest posts of all would need a look into every
// channel. The index of active channels has a row for each channel and each hour from which there
// is a post. What counts is the date of the post, so an import of old entries makes no channel
// active. The index is in another table, and no transaction spans it and a post:
//
//   - The row is written before the post. If the process dies in between, or the post is refused,
//     the row leads to nothing.
//   - The row says no more than where to look. Its reader trusts only the channel's row, its gate and
//     its posts. So a row that leads to nothing, a delayed duplicate of one, and one from before the
//     channel was deleted and created again do no harm.
//   - Each write gives the row a new version. Who finds no channel removes the row in the version
//     that was read before: a channel that was created meanwhile has written the row again before
//     its first post.
//
// A row may be written by everybody who posts in the channel. So that not each post writes it,
// a process remembers for a while that it has. It remembers the incarnation too.

const (
	// notedFor is how long a process remembers what it has written, and mostNoted how much.
	notedFor  = 5 * time.Minute
	mostNoted = 10_000
	// activeFor is how long a row stays, after its last write.
	activeFor = 365 * 24 * time.Hour
)

// noted are the index rows that this process has written lately.
type noted struct {
	mu    sync.Mutex
	rows  map[string]bool
	since time.Time
}

func (n *noted) has(key string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.rows) >= mostNoted || !domain.Recent(n.since, notedFor) {
		n.rows, n.since = map[string]bool{}, time.Now()
	}
	return n.rows[key]
}

func (n *noted) add(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rows != nil {
		n.rows[key] = true
	}
}

// Activity is the index of active channels. It is safe for concurrent use.
type Activity struct {
	reads concurrent.Reads
	table *driver.Table
	// partitions is over how many partitions the index is spread.
	partitions int
	noted      noted
}

// NoteActive writes the index rows of posts that are about to be made at these times, unless this
// process has just done so.
func (a *Activity) NoteActive(ctx context.Context, ref domain.ChannelRef, at ...time.Time) error {
	var rows []driver.Operation
	for _, on := range at {
		row := schema.ActiveRow(on, ref.Key)
		named := func(op driver.Operation) bool { return op.Row == row }
		if a.partitions > 0 && !slices.ContainsFunc(rows, named) && !a.noted.has(row+string(ref.Incarnation)) {
			rows = append(rows, driver.Merge(row, driver.Upsert,
				driver.Time(schema.PropCreatedOn, on), driver.Time(schema.PropExpiresOn, domain.Now().Add(activeFor))))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	//lab: Note that the channel is active.
	err := a.table.Transact(ctx, schema.ActivePartition(a.partitions, ref.Key), rows...)
	if err != nil {
		return fmt.Errorf("noting that channel %s is active: %w", ref.Key, err)
	}
	for _, row := range rows {
		a.noted.add(row.Row + string(ref.Incarnation))
	}
	return nil
}

// ActiveRows reads the index from this row key on, the newest hour first: n rows of each
// partition. There may be more behind the last of the rows that it returns, and there are none if
// it reports the end.
func (a *Activity) ActiveRows(ctx context.Context, from string, n int) (rows []driver.Entity, end bool, err error) {
	found := make([][]driver.Entity, max(a.partitions, 0))
	reads := make([]func(context.Context) error, len(found))
	for i := range reads {
		reads[i] = func(ctx context.Context) (err error) {
			//lab: Read which channels are active, the newest hour first.
			found[i], err = a.table.First(ctx, n, driver.Range{Partition: schema.ActivePartitionAt(i), From: from})
			return err
		}
	}
	if err := a.reads.Concurrently(ctx, reads...); err != nil {
		return nil, false, fmt.Errorf("reading which channels are active: %w", err)
	}
	edge := ""
	for _, part := range found {
		if len(part) == n && (edge == "" || part[n-1].Row < edge) {
			edge = part[n-1].Row
		}
	}
	rows = slices.DeleteFunc(slices.Concat(found...), func(row driver.Entity) bool { return edge != "" && row.Row > edge })
	slices.SortFunc(rows, func(a, b driver.Entity) int { return cmp.Compare(a.Row, b.Row) })
	return rows, edge == "", nil
}

// ForgetActive removes an index row that leads to no channel, in the version that was read before
// the channel was looked for.
func (a *Activity) ForgetActive(ctx context.Context, row driver.Entity) error {
	//lab: Remove an index row that leads to no channel.
	err := a.table.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
	if optimistic.Raced(err) {
		return nil
	}
	return err
}
