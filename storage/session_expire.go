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
	// expireFlight is the largest number of transactions under way at once.
	expireFlight = 8
)

// removeExpired deletes up to maxExpired rows of a table whose ExpiresOn has passed, each
// in the version that was read, and returns how many. Rows of one partition go in one
// transaction. If one of them has changed since it was read, all of them are left to the
// next pass.
func removeExpired(ctx context.Context, table *driver.Table) (int, error) {
	var removed atomic.Int64
	group, going := newFlight(ctx, expireFlight)
	err := eachExpired(ctx, table, func(partition string, batch []driver.Operation) (more bool) {
		group.Go(func() error {
			// Not with going: what is under way when another fails is counted too.
			err := table.Transact(ctx, partition, batch...)
			switch {
			case err == nil:
				removed.Add(int64(len(batch)))
			case !raced(err):
				return fmt.Errorf("removing expired rows: %w", err)
			}
			return nil
		})
		return going.Err() == nil
	})
	err = errors.Join(err, group.Wait())
	return int(removed.Load()), err
}

// eachExpired calls remove with deletes of expired rows, as many at once as are beside
// each other in one partition and fit in a transaction. It ends when remove returns false.
func eachExpired(ctx context.Context, table *driver.Table,
	remove func(partition string, batch []driver.Operation) (more bool),
) error {
	var partition string
	var batch []driver.Operation
	now, found := time.Now(), 0
	for row, err := range table.All(ctx, driver.Scan{}) {
		if err != nil {
			return fmt.Errorf("reading expired rows: %w", err)
		}
		if now.Before(row.Properties.Time(propExpiresOn)) {
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
