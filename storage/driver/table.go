package driver

import (
	"context"
	"iter"
)

// A Table is one table of a backend, behind Azure's limits. All operations of
// Store go through it.
type Table struct {
	name   string
	driver Tables
}

// NewTable is the named table of a backend. The table must be created before it
// is used.
func NewTable(driver Tables, name string) *Table {
	return &Table{name: name, driver: driver}
}

// Name is the table's name, as it was given to NewTable.
func (t *Table) Name() string { return t.name }

// Get reads one row, or returns domain.ErrNotFound.
func (t *Table) Get(ctx context.Context, partition, row string) (Entity, error) {
	if err := CheckPartition(partition); err != nil {
		return Entity{}, err
	}
	if err := CheckKey("row key", row); err != nil {
		return Entity{}, err
	}
	return t.driver.Get(ctx, t.name, partition, row)
}

// Range reads one page of one partition.
func (t *Table) Range(ctx context.Context, q Range) (Page, error) {
	if err := CheckPartition(q.Partition); err != nil {
		return Page{}, err
	}
	if err := checkPaging(q.Paging); err != nil {
		return Page{}, err
	}
	return t.driver.Range(ctx, t.name, q)
}

// Scan reads one page of a range of partitions.
func (t *Table) Scan(ctx context.Context, q Scan) (Page, error) {
	if err := checkPaging(q.Paging); err != nil {
		return Page{}, err
	}
	return t.driver.Scan(ctx, t.name, q)
}

// Transact applies the operations, all or none. What breaks a limit is refused
// with domain.ErrLimit before the driver sees it.
func (t *Table) Transact(ctx context.Context, partition string, ops ...Operation) error {
	if err := checkTransaction(partition, ops); err != nil {
		return err
	}
	return t.driver.Transact(ctx, t.name, partition, ops)
}

// First reads the first n rows of a selection, however many pages they take. It
// returns fewer only at the selection's end.
func (t *Table) First(ctx context.Context, n int, q Range) ([]Entity, error) {
	q.Limit = min(n, MaxPage)
	page, err := t.Range(ctx, q)
	if err != nil {
		return nil, err
	}
	rows := page.Rows
	for len(rows) < n && page.Continuation != "" {
		q.Continuation = page.Continuation
		q.Limit = min(n-len(rows), MaxPage)
		if page, err = t.Range(ctx, q); err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
	}
	return rows, nil
}

// All streams the rows of a scan in pages of q.Limit, or the most if that is 0.
// It holds one page at a time, and ends after the first error.
func (t *Table) All(ctx context.Context, q Scan) iter.Seq2[Entity, error] {
	return eachRow(q.Paging, func(p Paging) (Page, error) {
		q.Paging = p
		return t.Scan(ctx, q)
	})
}

// Within streams the rows of a range, as All does those of a scan.
func (t *Table) Within(ctx context.Context, q Range) iter.Seq2[Entity, error] {
	return eachRow(q.Paging, func(p Paging) (Page, error) {
		q.Paging = p
		return t.Range(ctx, q)
	})
}

func eachRow(start Paging, read func(Paging) (Page, error)) iter.Seq2[Entity, error] {
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

func checkPaging(p Paging) error {
	if p.Limit < 1 || p.Limit > MaxPage {
		return limitError("a page has 1 to %d rows, not %d", MaxPage, p.Limit)
	}
	if p.KeysOnly && len(p.Select) > 0 {
		return limitError("a page of keys alone selects no properties")
	}
	for _, name := range p.Select {
		if err := checkPropertyName(name); err != nil {
			return err
		}
	}
	return nil
}
