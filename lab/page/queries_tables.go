package page

import (
	"context"
	"errors"

	"microblogging/storage/driver"
)

// PresentTables is what /lab/queries may do with the present store: read its tables. A
// driver.Tables is one.
type PresentTables interface {
	Get(ctx context.Context, table, partition, row string) (driver.Entity, error)
	Range(ctx context.Context, table string, q driver.Range) (driver.Page, error)
	Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error)
}

// enteredTables enters each read in the ledger of the request, as the reads of other pages
// are, and refuses what Azure does not take.
type enteredTables struct{ driver.Backend }

func entered(tables PresentTables) enteredTables {
	return enteredTables{driver.Wrap(nil, driver.Enter, readOnly(tables))}
}

func (t enteredTables) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return driver.NewTable(t.Backend, table).Get(ctx, partition, row)
}

func (t enteredTables) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return driver.NewTable(t.Backend, table).Range(ctx, q)
}

func (t enteredTables) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return driver.NewTable(t.Backend, table).Scan(ctx, q)
}

var errReadOnly = errors.New("the pages of the lab write nothing to the store of the site")

// readOnly makes the reads, and refuses every other call.
func readOnly(tables PresentTables) driver.Around {
	return func(ctx context.Context, c *driver.Call, _ func(context.Context) error) (err error) {
		switch c.Method {
		case driver.CallGet:
			c.Entity, err = tables.Get(ctx, c.Target, c.Partition, c.Row)
		case driver.CallRange:
			c.Page, err = tables.Range(ctx, c.Target, driver.Range{Partition: c.Partition, From: c.From, To: c.To, Paging: c.Paging})
		case driver.CallScan:
			c.Page, err = tables.Scan(ctx, c.Target, driver.Scan{From: c.From, To: c.To, Paging: c.Paging})
		default:
			err = errReadOnly
		}
		return err
	}
}
