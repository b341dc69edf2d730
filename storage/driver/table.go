package driver

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"microblogging/domain"
)

// A Table is one table, as the operations of package storage use it. It refuses
// what breaks Azure's limits (domain.ErrLimit) and calls the [Backend] for the rest.
type Table struct{ target }

// NewTable returns the table of this name. It must be created before it is used.
func NewTable(backend Backend, name string) *Table { return &Table{target{name, backend}} }

// Create makes the table, or does nothing if it is there.
func (t *Table) Create(ctx context.Context) error {
	_, err := t.do(ctx, Call{Method: CallCreateTable})
	return err
}

// Get reads one row, or returns domain.ErrNotFound.
func (t *Table) Get(ctx context.Context, partition, row string) (Entity, error) {
	if err := cmp.Or(CheckPartition(partition), CheckKey("row key", row)); err != nil {
		return Entity{}, err
	}
	a, err := t.do(ctx, Call{Method: CallGet, Partition: partition, Row: row})
	return a.Entity, err
}

// Find is Get of a row that may be missing. Then it returns the zero Entity, which was not Found.
func (t *Table) Find(ctx context.Context, partition, row string) (Entity, error) {
	e, err := t.Get(ctx, partition, row)
	if errors.Is(err, domain.ErrNotFound) {
		err = nil
	}
	return e, err
}

// Range reads one page of one partition.
func (t *Table) Range(ctx context.Context, q Range) (Page, error) {
	if err := cmp.Or(CheckPartition(q.Partition), q.Paging.check()); err != nil {
		return Page{}, err
	}
	a, err := t.do(ctx, Call{
		Method: CallRange, Partition: q.Partition, From: q.From, To: q.To, Paging: q.Paging,
	})
	return a.Page, err
}

// Scan reads one page of a range of partitions.
func (t *Table) Scan(ctx context.Context, q Scan) (Page, error) {
	if err := q.Paging.check(); err != nil {
		return Page{}, err
	}
	a, err := t.do(ctx, Call{Method: CallScan, From: q.From, To: q.To, Paging: q.Paging})
	return a.Page, err
}

// Transact applies the operations to one partition, all or none. The error is an
// *OperationError if one of them cannot be applied.
func (t *Table) Transact(ctx context.Context, partition string, ops ...Operation) error {
	if err := checkTransaction(partition, ops); err != nil {
		return err
	}
	_, err := t.do(ctx, Call{Method: CallTransact, Partition: partition, Operations: ops})
	return err
}

// First reads the first n rows of a selection, over as many pages as needed. It
// returns fewer only if the selection has fewer.
func (t *Table) First(ctx context.Context, n int, q Range) (rows []Entity, err error) {
	q.Limit = min(n, MaxPage)
	for row, err := range t.Within(ctx, q) {
		if err != nil {
			return nil, err
		}
		if rows = append(rows, row); len(rows) == n {
			break
		}
	}
	return rows, nil
}

// All streams the rows of a scan, page by page. A q.Limit of 0 means pages of
// MaxPage rows. It holds one page at a time and ends after the first error.
func (t *Table) All(ctx context.Context, q Scan) iter.Seq2[Entity, error] {
	return eachRow(ctx, q.Paging, func(p Paging) (Page, error) {
		q.Paging = p
		return t.Scan(ctx, q)
	})
}

// Within streams the rows of a range, as All streams those of a scan.
func (t *Table) Within(ctx context.Context, q Range) iter.Seq2[Entity, error] {
	return eachRow(ctx, q.Paging, func(p Paging) (Page, error) {
		q.Paging = p
		return t.Range(ctx, q)
	})
}

// eachRow streams the rows of all pages from start on, until ctx ends: what the caller does with the rows of one
// page may take longer than the request lasts.
func eachRow(ctx context.Context, start Paging, read func(Paging) (Page, error)) iter.Seq2[Entity, error] {
	if start.Limit == 0 {
		start.Limit = MaxPage
	}
	return func(yield func(Entity, error) bool) {
		p := start
		for {
			page, err := read(p)
			if err != nil {
				yield(Entity{}, err)
				return
			}
			for _, row := range page.Rows {
				if err := ctx.Err(); err != nil {
					yield(Entity{}, err)
					return
				}
				if !yield(row, nil) {
					return
				}
			}
			if page.Continuation == "" {
				return
			}
			p.Continuation = page.Continuation
		}
	}
}
