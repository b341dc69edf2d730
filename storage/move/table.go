package move

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

const (
	// noteEvery is after how many transactions it is noted how far a table has come.
	noteEvery = 32
	// tries bounds how often rows are looked at again that keep changing.
	tries = 10
)

// table is a table of one side.
type table struct {
	*driver.Table
	// inTurn says that its reads are made when they are needed, and not ahead.
	inTurn bool
}

func (c *copier) table(side Side, name string) table {
	_, inTurn := side.Tables.(driver.OneByOne)
	return table{driver.NewTable(side.Tables, name), inTurn}
}

// First reports whether a scan has a row.
func (t table) First(ctx context.Context, q driver.Scan) (bool, error) {
	q.Limit = 1
	for _, err := range t.All(ctx, q) {
		return err == nil, err
	}
	return false, nil
}

// copyTables copies the rows of all tables, one table after another, from where an earlier
// run has come to.
func (c *copier) copyTables(ctx context.Context) error {
	for _, name := range storage.DataTables() {
		at := c.at.At[name]
		if at.Whole {
			continue
		}
		if err := c.copyTable(ctx, name, at); err != nil {
			return fmt.Errorf("copying the table %s: %w", name, err)
		}
	}
	return nil
}

// copyTable copies the rows of a table that come after a position.
func (c *copier) copyTable(ctx context.Context, name string, after storage.CopiedTo) error {
	from, to := c.table(c.from, name), c.table(c.to, name)
	group, grouped := errgroup.WithContext(ctx)
	f := &flight{copier: c, to: to, slots: make(chan struct{}, c.Flight), group: group}
	err := f.all(grouped, from, after)
	if err = cmp.Or(group.Wait(), err); err != nil {
		return err
	}
	return c.target.NoteCopy(ctx, c.at.Run, name, storage.CopiedTo{Whole: true})
}

// A flight is the transactions of one table that are under way.
type flight struct {
	*copier
	to    table
	slots chan struct{}
	group *errgroup.Group
	// next are the rows of the transaction that is sent next. All are of one partition.
	next []driver.Entity
	// ends are the transactions that are not noted yet, in the order of their rows.
	ends []*batch
}

// A batch is a transaction.
type batch struct {
	rows []driver.Entity
	// done is closed once it has succeeded. If it fails, the context of the flight ends.
	done chan struct{}
}

// all sends all rows after a position.
func (f *flight) all(ctx context.Context, from table, after storage.CopiedTo) error {
	rows := from.rows(ctx, after)
	defer rows.stop()
	for rows.advance(); !rows.ended; rows.advance() {
		row := rows.head
		if n := len(f.next); n == driver.MaxOperations || n > 0 && f.next[0].Partition != row.Partition {
			if err := f.send(ctx); err != nil {
				return err
			}
		}
		f.next = append(f.next, row)
	}
	if rows.err != nil {
		return rows.err
	}
	return f.send(ctx)
}

// send begins the next transaction.
func (f *flight) send(ctx context.Context) error {
	if len(f.next) == 0 {
		return nil
	}
	b := &batch{f.next, make(chan struct{})}
	f.next = nil
	f.ends = append(f.ends, b)
	if cap(f.slots) == 1 {
		if err := f.put(ctx, f.to, b.rows); err != nil {
			return err
		}
		close(b.done)
	} else {
		select {
		case f.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		f.group.Go(func() error {
			defer func() { <-f.slots }()
			err := guarded(func() error { return f.put(ctx, f.to, b.rows) })
			if err == nil {
				close(b.done)
			}
			return err
		})
	}
	f.tell(Copying, len(b.rows), 0)
	return f.note(ctx)
}

// note notes now and then how far the table has come.
func (f *flight) note(ctx context.Context) error {
	if len(f.ends) < noteEvery+cap(f.slots) {
		return nil
	}
	var last driver.Entity
	for _, b := range f.ends[:noteEvery] {
		select {
		case <-b.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		last = b.rows[len(b.rows)-1]
	}
	f.ends = append([]*batch(nil), f.ends[noteEvery:]...)
	return f.target.NoteCopy(ctx, f.at.Run, f.to.Name(), storage.CopiedTo{Partition: last.Partition, Row: last.Row})
}

// put writes rows of one partition that are probably not in the target. If some are, it
// looks at those that are there and writes what differs. A transaction that is too large is
// halved.
func (c *copier) put(ctx context.Context, to table, rows []driver.Entity) error {
	ops := make([]driver.Operation, len(rows))
	for i, row := range rows {
		ops[i] = driver.Insert(row.Row, row.Properties...)
	}
	err := c.transact(ctx, to, rows[0].Partition, ops)
	if raced(err) {
		return c.mend(ctx, to, rows)
	}
	return err
}

// mend makes rows of one partition of the target equal to those of the source.
func (c *copier) mend(ctx context.Context, to table, rows []driver.Entity) (err error) {
	for range tries {
		there := map[string]driver.Entity{}
		last := rows[len(rows)-1].Row
		for row, err := range to.Within(ctx, driver.Range{Partition: rows[0].Partition, From: rows[0].Row, To: last + " "}) {
			if err != nil {
				return err
			}
			there[row.Row] = row
		}
		var ops []driver.Operation
		for _, row := range rows {
			if old, ok := there[row.Row]; !ok {
				ops = append(ops, driver.Insert(row.Row, row.Properties...))
			} else if !same(old.Properties, row.Properties) {
				ops = append(ops, driver.Replace(row.Row, driver.Match(old.ETag), row.Properties...))
			}
		}
		if len(ops) == 0 {
			return nil
		}
		if err = c.transact(ctx, to, rows[0].Partition, ops); !raced(err) {
			return err
		}
	}
	return fmt.Errorf("rows of partition %s keep changing in the target: %w", rows[0].Partition, err)
}

// transact writes operations on one partition, in two transactions if one is too large.
func (c *copier) transact(ctx context.Context, to table, partition string, ops []driver.Operation) error {
	err := to.Transact(ctx, partition, ops...)
	if !errors.Is(err, domain.ErrLimit) || len(ops) == 1 {
		return err
	}
	half := len(ops) / 2
	if err := c.transact(ctx, to, partition, ops[:half]); err != nil {
		return err
	}
	return c.transact(ctx, to, partition, ops[half:])
}

// raced tells that a row is not as it was read. It may be the echo of the own write.
func raced(err error) bool {
	return errors.Is(err, domain.ErrConflict) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrExists)
}

// same tells whether two rows hold the same, in any order. A name is there once.
func same(a, b driver.Properties) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		at := i
		if b[i].Name != a[i].Name {
			at = indexOf(b, a[i].Name)
		}
		if at < 0 || b[at].Value != a[i].Value {
			return false
		}
	}
	return true
}

func indexOf(list driver.Properties, name string) int {
	for i := range list {
		if list[i].Name == name {
			return i
		}
	}
	return -1
}

// compareKeys compares the keys of two rows.
func compareKeys(a, b driver.Entity) int {
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
}
