package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/storage/driver"
)

// removeExpired deletes the rows of a table whose ExpiresOn has passed, each in the
// version that was read, and returns how many.
func removeExpired(ctx context.Context, table *driver.Table) (int, error) {
	removed := 0
	now := time.Now()
	for row, err := range table.All(ctx, driver.Scan{}) {
		if err != nil {
			return removed, fmt.Errorf("reading expired rows: %w", err)
		}
		if now.Before(row.Properties.Time(propExpiresOn)) {
			continue
		}
		switch err := table.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag))); {
		case err == nil:
			removed++
		case !raced(err):
			return removed, fmt.Errorf("removing expired rows: %w", err)
		}
	}
	return removed, nil
}
