package mem

import (
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Change is what a transaction did to one row. If the row was not there before or
// after, that Entity is the zero value.
type Change struct{ Before, After driver.Entity }

// Transact applies an entity group transaction, all or none. mint returns the ETag
// of the row that operation i writes; it must never repeat one. The error is a
// *driver.OperationError if an operation cannot be applied.
func (s Snapshot) Transact(table, partition string, ops []driver.Operation, mint func(i int) driver.ETag) (Snapshot, []Change, error) {
	at := s.tableAt(table)
	if at < 0 {
		return s, nil, fmt.Errorf("%w: table %s was never created", domain.ErrUnavailable, table)
	}
	rows := s.tables[at].rows
	for i, op := range ops {
		if err := check(rows, partition, op); err != nil {
			return s, nil, &driver.OperationError{Index: i, Err: err}
		}
	}
	changes := make([]Change, len(ops))
	rows = slices.Clone(rows)
	for i, op := range ops {
		place, found := find(rows, partition, op.Row)
		if found {
			changes[i].Before = rows[place].Entity
			s.sum = s.sum.Minus(rows[place].sum)
		}
		if op.Action == driver.ActionDelete {
			rows = slices.Delete(rows, place, place+1)
			continue
		}
		written := newRow(table, driver.Entity{
			Partition: partition, Row: op.Row, ETag: mint(i),
			Properties: properties(changes[i].Before.Properties, op),
		})
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

// check tells whether the operation can be applied. The operations of a transaction
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

// properties returns what the row will have. It shares nothing with op, because the
// caller may change that afterwards.
func properties(before driver.Properties, op driver.Operation) driver.Properties {
	if op.Action == driver.ActionMerge {
		return before.Merged(op.Properties)
	}
	return slices.Clone(op.Properties)
}
