package check

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A repair mends a violation, and returns what the violation reports as Repaired.
type repair func() (string, error)

const (
	// leftChanged is for a repair whose rows were changed after it had read them.
	leftChanged = "left: it changed in between"
	// leftUnknown is for a row whose origin no other row tells: an operator may still know it.
	leftUnknown = "left: nothing says what it was"
)

// leave repairs nothing, for this reason.
func leave(why string) repair { return func() (string, error) { return why, nil } }

// deletes deletes a row in the version that was read.
func deletes(ctx context.Context, table *driver.Table, row driver.Entity) repair {
	return func() (string, error) {
		//lab: Delete the row that should not be there.
		return "deleted", table.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
	}
}

// violation reports a row that shows a violation, after its repair if the checker repairs. It reports the
// row also if the repair fails: the row may be gone all the same.
func (c *Checker) violation(invariant string, table *driver.Table, row driver.Entity, detail string, mend repair) error {
	repaired, err := c.try(mend)
	c.Report(domain.Violation{Invariant: invariant, Table: table.Name(), PartitionKey: row.Partition, RowKey: row.Row, Detail: detail, Repaired: repaired})
	return err
}

// drop deletes a row that is no violation, if the checker repairs.
func (c *Checker) drop(ctx context.Context, table *driver.Table, row driver.Entity) error {
	_, err := c.try(deletes(ctx, table, row))
	return err
}

// try repairs, if the checker does. That others were faster is no failure.
func (c *Checker) try(mend repair) (string, error) {
	if !c.Repair {
		return "", nil
	}
	repaired, err := mend()
	switch {
	case err == nil:
		return repaired, nil
	case errors.Is(err, schema.ErrUnknownWord):
		return "left: " + err.Error(), nil
	case errors.Is(err, domain.ErrLimit):
		return "left: no operation can name it", nil
	case errors.Is(err, fence.ErrGateGone), errors.Is(err, domain.ErrGone):
		return "left: its channel has no open gate", nil
	case errors.Is(err, optimistic.ErrAgain), errors.Is(err, domain.ErrNotFound), errors.Is(err, domain.ErrExists), errors.Is(err, domain.ErrConflict):
		return leftChanged, nil
	}
	return "", fmt.Errorf("repairing: %w", err)
}
