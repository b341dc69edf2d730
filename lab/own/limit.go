package own

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Table is a driver.Table that panics if a call breaks a limit of the store, such as a key that no row can have: no store
// ever answers it, so no schedule tests what comes after.
type Table struct {
	*driver.Table
	name  string
	watch *watch
}

// Get is that of driver.Table.
func (t Table) Get(ctx context.Context, partition, row string) (driver.Entity, error) {
	e, err := t.Table.Get(ctx, partition, row)
	return e, within(err)
}

// First is that of driver.Table.
func (t Table) First(ctx context.Context, n int, q driver.Range) ([]driver.Entity, error) {
	rows, err := t.Table.First(ctx, n, q)
	return rows, within(err)
}

// Transact is that of driver.Table.
func (t Table) Transact(ctx context.Context, partition string, ops ...driver.Operation) error {
	t.watch.writes(t.name, partition, ops)
	return within(t.Table.Transact(ctx, partition, ops...))
}

// A Queue is a driver.Queue that panics as a Table does.
type Queue struct{ *driver.Queue }

// Send is that of driver.Queue.
func (q Queue) Send(ctx context.Context, text string) error { return within(q.Queue.Send(ctx, text)) }

// within is the error, if it is none of a limit.
func within(err error) error {
	if errors.Is(err, domain.ErrLimit) {
		panic(fmt.Errorf("the store refuses this call: %w", err))
	}
	return err
}
