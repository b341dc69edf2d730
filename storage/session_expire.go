package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Rows of Sessions and Throttle have an end, in ExpiresOn. So that those that have ended
// are found without reading the others, each table has an index by time: a due! partition
// for each minute, and in it a row for each partition of the table in which something ends
// by then. Such a row is written before the row that it is about. If the process dies in
// between, it names nothing, and goes when its time has come. A row whose end is moved gets
// another: the first finds nothing that has ended.
//
// A row that has no index row is found by the audit: one that an earlier version wrote, or
// one that landed so late that its index row is gone.

const (
	// maxExpired is the largest number of rows of a table that one call removes.
	maxExpired = 5000
	// expiryMargin is how long after their end rows are removed. The clock of this
	// process may be ahead of others, for which the session, the link or the counter is
	// not over.
	expiryMargin = 5 * time.Minute
	// expireFlight is the largest number of partitions that are worked on at once.
	expireFlight = 8
)

// scheduleExpiry notes that rows of these partitions of a table end at a time. It must be
// called before they are written.
func scheduleExpiry(ctx context.Context, table *driver.Table, end time.Time, partitions ...string) error {
	due := dueMinute(end)
	ops := make([]driver.Operation, len(partitions))
	for i, partition := range partitions {
		ops[i] = driver.Merge(partition, driver.Upsert, driver.Time(propExpiresOn, due))
	}
	if err := table.Transact(ctx, duePartition(due, partitions[0]), ops...); err != nil {
		return fmt.Errorf("noting when a row ends: %w", err)
	}
	return nil
}

// Expire deletes the sessions, sign-in links and counters that ended expiryMargin ago, each
// in the version that was read, and returns how many. It removes maxExpired rows of a table
// at most, and reports true if there may be more.
func (s *Store) Expire(ctx context.Context) (removed int, more bool, err error) {
	for _, table := range []*driver.Table{s.sessions, s.throttle} {
		r := newRemoval(table)
		err = errors.Join(err, r.due(ctx))
		removed += int(r.removed.Load())
		more = more || r.full()
	}
	return removed, more, err
}

// A removal removes rows of one table that have ended.
type removal struct {
	table *driver.Table
	// ended is when rows must have ended.
	ended time.Time
	// left is how many more rows may be removed.
	left    atomic.Int64
	removed atomic.Int64
	failed  failures
	group   *flight
}

func newRemoval(table *driver.Table) *removal {
	r := &removal{table: table, ended: time.Now().Add(-expiryMargin), group: newUnbrokenFlight(expireFlight)}
	r.left.Store(maxExpired)
	return r
}

// full tells that as many rows were found as may be removed.
func (r *removal) full() bool { return r.left.Load() <= 0 }

// wait waits for the transactions under way, and returns what has failed.
func (r *removal) wait() error {
	_ = r.group.Wait() // the failures are gathered apart: a group keeps only the first
	return r.failed.joined()
}

// Go makes a call beside others, unless one has failed: those under way end, since what
// they remove is counted.
func (r *removal) Go(call func() error) {
	r.group.Go(func() error {
		if r.failed.any() {
			return nil
		}
		if err := call(); err != nil {
			r.failed.add(fmt.Errorf("removing expired rows: %w", err))
		}
		return nil
	})
}

// due removes what the index says has ended, and then the rows of the index that have
// nothing more to say.
func (r *removal) due(ctx context.Context) error {
	var mu sync.Mutex
	var done []driver.Entity
	var failure error
	for row, err := range r.table.All(ctx, driver.Scan{From: prefixDue, To: dueEnd(r.ended)}) {
		if err != nil {
			failure = fmt.Errorf("reading what is due: %w", err)
			break
		}
		if r.full() || r.failed.any() {
			break
		}
		r.Go(func() error {
			all, err := r.partition(ctx, row.Row)
			if all {
				mu.Lock()
				defer mu.Unlock()
				done = append(done, row)
			}
			return err
		})
	}
	return errors.Join(failure, r.wait(), r.removeDue(ctx, done))
}

// removeDue deletes rows of the index.
func (r *removal) removeDue(ctx context.Context, rows []driver.Entity) error {
	slices.SortFunc(rows, func(a, b driver.Entity) int {
		return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
	})
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && n < driver.MaxOperations && rows[n].Partition == rows[0].Partition {
			n++
		}
		ops := make([]driver.Operation, n)
		for i, row := range rows[:n] {
			ops[i] = driver.Delete(row.Row, driver.Match(row.ETag))
		}
		// If one has changed, another pass was faster, or a row was written that has ended
		// already: the next pass finds them again.
		if err := r.table.Transact(ctx, rows[0].Partition, ops...); err != nil && !raced(err) {
			return fmt.Errorf("removing expired rows: %w", err)
		}
		rows = rows[n:]
	}
	return nil
}

// partition removes the rows of one partition that have ended. It reports whether none is
// left.
func (r *removal) partition(ctx context.Context, partition string) (all bool, err error) {
	all = true
	var batch []driver.Operation
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		removed, err := r.remove(ctx, partition, batch)
		all = all && removed && err == nil
		batch = nil
		return err
	}
	for row, err := range r.table.Within(ctx, driver.Range{Partition: partition}) {
		if err != nil {
			return false, err
		}
		if !r.hasEnded(row) {
			continue
		}
		if r.left.Add(-1) < 0 {
			all = false
			break
		}
		if batch = append(batch, driver.Delete(row.Row, driver.Match(row.ETag))); len(batch) == driver.MaxOperations {
			if err := flush(); err != nil {
				return false, err
			}
		}
	}
	err = flush()
	return all, err
}

func (r *removal) hasEnded(row driver.Entity) bool {
	return !r.ended.Before(row.Properties.Time(propExpiresOn))
}

// remove deletes rows of one partition in one transaction, each in the version that was
// read. If one of them has changed since, all of them are left, and it reports false.
func (r *removal) remove(ctx context.Context, partition string, batch []driver.Operation) (bool, error) {
	switch err := r.table.Transact(ctx, partition, batch...); {
	case err == nil:
		r.removed.Add(int64(len(batch)))
		return true, nil
	case raced(err):
		return false, nil
	default:
		return false, err
	}
}

// page removes what has ended of the rows of a page, whatever the index says. It reads the
// rest of the last partition, unless the page is the last.
func (r *removal) page(ctx context.Context, page driver.Page) {
	rows := slices.DeleteFunc(slices.Clone(page.Rows), func(row driver.Entity) bool { return isDuePartition(row.Partition) })
	for len(rows) > 0 {
		partition := rows[0].Partition
		n := 1
		for n < len(rows) && rows[n].Partition == partition {
			n++
		}
		if last := n == len(rows) && page.Continuation != "" && n > 1; last || slices.ContainsFunc(rows[:n], r.hasEnded) {
			r.Go(func() error {
				_, err := r.partition(ctx, partition)
				return err
			})
		}
		rows = rows[n:]
	}
}

// prefixDue is the prefix of the partitions of the index by time.
const prefixDue = "due!"

func isDuePartition(partition string) bool { return strings.HasPrefix(partition, prefixDue) }

// dueMinute is the end of the minute in which a row ends.
func dueMinute(end time.Time) time.Time {
	minute := domain.Storable(end).Truncate(time.Minute)
	if minute.Before(end) {
		minute = minute.Add(time.Minute)
	}
	return minute
}

// duePartition is the partition of the index for what ends by a minute. Many counters end
// at one time, so that each minute has 16 of them.
func duePartition(due time.Time, partition string) string {
	return dueTime(due) + "!" + hashHex("due", partition)[:1]
}

// dueEnd is the end, exclusive, of the partitions of the index up to a time, inclusive.
func dueEnd(ended time.Time) string { return dueTime(ended.Add(time.Second)) }

func dueTime(on time.Time) string { return fmt.Sprintf("%s%019d", prefixDue, on.Unix()) }
