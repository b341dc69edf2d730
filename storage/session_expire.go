package storage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/storage/driver"
)

const (
	// maxExpired is the largest number of rows of a table that one pass removes. A
	// pass that took longer would keep the next pass from deletions that wait.
	maxExpired = 5000
	// expiryMargin is how long after their end rows are removed. The clock of this
	// process may be ahead of others, for which the session, the link or the counter is
	// not over.
	expiryMargin = 5 * time.Minute
	// expireFlight is the largest number of transactions under way at once.
	expireFlight = 8
)

// removeExpired deletes up to maxExpired rows of a table that ended expiryMargin ago, each
// in the version that was read, and returns how many. Rows of one partition go in one
// transaction. If one of them has changed since it was read, all of them are left to the
// next pass. After a transaction has failed, no other starts. Those under way end, and
// are counted.
func removeExpired(ctx context.Context, table *driver.Table) (int, error) {
	var removed atomic.Int64
	var failed failures
	group := newUnbrokenFlight(expireFlight)
	err := eachExpired(ctx, table, func(partition string, batch []driver.Operation) (more bool) {
		group.Go(func() error {
			if failed.any() {
				return nil
			}
			err := table.Transact(ctx, partition, batch...)
			switch {
			case err == nil:
				removed.Add(int64(len(batch)))
			case !raced(err):
				failed.add(fmt.Errorf("removing expired rows: %w", err))
			}
			return nil
		})
		return !failed.any()
	})
	_ = group.Wait() // the failures are gathered apart: a group keeps only the first
	return int(removed.Load()), errors.Join(err, failed.joined())
}

// eachExpired calls remove with deletes of expired rows, as many at once as are beside
// each other in one partition and fit in a transaction. It ends when remove returns false.
func eachExpired(ctx context.Context, table *driver.Table,
	remove func(partition string, batch []driver.Operation) (more bool),
) error {
	var partition string
	var batch []driver.Operation
	ended, found := time.Now().Add(-expiryMargin), 0
	for row, err := range table.All(ctx, driver.Scan{}) {
		if err != nil {
			return fmt.Errorf("reading expired rows: %w", err)
		}
		if ended.Before(row.Properties.Time(propExpiresOn)) {
			continue
		}
		if len(batch) > 0 && (row.Partition != partition || len(batch) == driver.MaxOperations) {
			if !remove(partition, batch) {
				return nil
			}
			batch = nil
		}
		partition = row.Partition
		batch = append(batch, driver.Delete(row.Row, driver.Match(row.ETag)))
		if found++; found == maxExpired {
			break
		}
	}
	if len(batch) > 0 {
		remove(partition, batch)
	}
	return nil
}
