package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

const (
	// expiryMargin is how long after their end rows are removed. The clock of this
	// process may be ahead of others, for which the session, the link or the counter is
	// not over.
	expiryMargin = 5 * time.Minute
	// expireFlight is the largest number of transactions that are under way at once.
	expireFlight = 8
)

// Expire reads Sessions and Throttle whole. It deletes the rows that ended expiryMargin ago,
// each in the version that was read, and returns how many. The next call removes what a
// failure has left, and what changed meanwhile.
func (s *Accounts) Expire(ctx context.Context) (removed int, err error) {
	for _, table := range []*driver.Table{s.sessions, s.throttle} {
		n, failure := expireIn(ctx, table)
		removed += n
		err = errors.Join(err, failure)
	}
	return removed, err
}

// expireIn is Expire for one table.
func expireIn(ctx context.Context, table *driver.Table) (int, error) {
	ended := time.Now().Add(-expiryMargin)
	group, ctx := flight.New(ctx, expireFlight)
	var removed atomic.Int64
	remove := func(partition string, batch []driver.Operation) {
		if len(batch) == 0 {
			return
		}
		group.Go(func() error {
			err := table.Transact(ctx, partition, batch...)
			if err == nil {
				removed.Add(int64(len(batch)))
			}
			if optimistic.Raced(err) {
				return nil // one of the rows has changed, and all are left
			}
			return err
		})
	}
	var failure error
	var partition string
	var batch []driver.Operation
	for row, err := range table.All(ctx, driver.Scan{}) {
		if err != nil {
			failure = err
			break
		}
		if row.Partition != partition || len(batch) == driver.MaxOperations {
			remove(partition, batch)
			partition, batch = row.Partition, nil
		}
		if !ended.Before(row.Properties.Time(schema.PropExpiresOn)) {
			batch = append(batch, driver.Delete(row.Row, driver.Match(row.ETag)))
		}
	}
	remove(partition, batch)
	if err := cmp.Or(group.Wait(), failure); err != nil {
		return int(removed.Load()), fmt.Errorf("removing expired rows of %s: %w", table.Name(), err)
	}
	return int(removed.Load()), nil
}
