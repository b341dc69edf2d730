package mem

import (
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Change is what a transaction did to one row. If the row was not there before or
// after, that Entity is the zero value.
type Change struct{ Before, After driver.Entity }

// transact applies an entity group transaction, all or none. The error is a
// *driver.OperationError if an operation cannot be applied.
func (s Snapshot) transact(c *driver.Call, mint func(i int) string) (Snapshot, []Change, error) {
	at := slices.IndexFunc(s.tables, func(t table) bool { return t.name == c.Target })
	if at < 0 {
		at, s.tables = len(s.tables), append(slices.Clip(s.tables), table{name: c.Target})
	}
	rows := s.tables[at].rows
	for i, op := range c.Operations {
		if err := check(rows, c.Partition, op); err != nil {
			return s, nil, &driver.OperationError{Index: i, Err: err}
		}
	}
	changes := make([]Change, len(c.Operations))
	rows = slices.Clone(rows)
	for i, op := range c.Operations {
		place, found := find(rows, c.Partition, op.Row)
		if found {
			changes[i].Before = rows[place].Entity
			s.sum = s.sum.Minus(rows[place].sum)
		}
		if op.Action == driver.ActionDelete {
			rows = slices.Delete(rows, place, place+1)
			continue
		}
		properties := slices.Clone(op.Properties) // the caller may change its own afterwards
		if op.Action == driver.ActionMerge {
			properties = changes[i].Before.Properties.Merged(op.Properties)
		}
		written := newRow(c.Target, driver.Entity{Partition: c.Partition, Row: op.Row, ETag: driver.ETag(mint(i)), Properties: properties})
		s.sum = s.sum.Plus(written.sum)
		changes[i].After = written.Entity
		if found {
			rows[place] = written
		} else {
			rows = slices.Insert(rows, place, written)
		}
	}
	s.tables = slices.Clone(s.tables)
	s.tables[at].rows = rows
	return s, changes, nil
}

// check returns nil if the operation can be applied. The operations of a transaction
// are on distinct rows, so none depends on another.
func check(rows []*row, partition string, op driver.Operation) error {
	at, found := find(rows, partition, op.Row)
	etag, isMatch := op.If.ETag()
	switch {
	case op.Action == driver.ActionInsert && found:
		return domain.ErrExists
	case op.Action == driver.ActionInsert:
		return nil
	case !found && op.If.AllowsAbsent():
		return nil
	case !found:
		return domain.ErrNotFound
	case isMatch && rows[at].ETag != etag:
		return domain.ErrConflict
	}
	return nil
}
