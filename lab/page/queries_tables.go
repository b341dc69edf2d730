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

// enteredTables enters each read in the ledger of the request (driver.Ledger), as the
// reads of other pages are: it makes each through a driver.Table.
type enteredTables struct{ readOnly }

func (t enteredTables) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	return driver.NewTable(t.readOnly, table).Get(ctx, partition, row)
}

func (t enteredTables) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return driver.NewTable(t.readOnly, table).Range(ctx, q)
}

func (t enteredTables) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return driver.NewTable(t.readOnly, table).Scan(ctx, q)
}

// readOnly is a driver.Tables that refuses every write.
type readOnly struct{ PresentTables }

var errReadOnly = errors.New("the pages of the lab write nothing to the store of the site")

func (readOnly) CreateTable(context.Context, string) error { return errReadOnly }

func (readOnly) Transact(context.Context, string, string, []driver.Operation) error {
	return errReadOnly
}
