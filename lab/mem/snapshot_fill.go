package mem

import (
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// WithRows returns a snapshot that has a table of this name with these rows. To fill a
// table of n rows takes a time in the order of n; n transactions would take n times that.
// The table must be new or empty. The rows must be in the order of their keys, and no two
// of them may have the same keys.
func (s Snapshot) WithRows(name string, entities []driver.Entity) (Snapshot, error) {
	s = s.WithTable(name)
	at := s.tableAt(name)
	if len(s.tables[at].rows) > 0 {
		return s, fmt.Errorf("filling table %s: %w", name, domain.ErrExists)
	}
	rows, filled := make([]*row, len(entities)), make([]row, len(entities))
	for i, e := range entities {
		filled[i] = *newRow(name, e)
		rows[i] = &filled[i]
		if i > 0 && (position{e.Partition, e.Row}).compare(position{entities[i-1].Partition, entities[i-1].Row}) <= 0 {
			return s, fmt.Errorf("filling table %s: row %q of %q is out of order", name, e.Row, e.Partition)
		}
		s.sum = s.sum.Plus(rows[i].sum)
	}
	s.tables = slices.Clone(s.tables)
	s.tables[at].rows = rows
	return s, nil
}
