package mem

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Snapshot is the whole content of a backend at one moment. It never changes. The
// zero value has no table and no queue.
type Snapshot struct {
	tables []table
	queues []queue
	sum    Sum
}

// A table holds its rows in the order of their keys.
type table struct {
	name string
	rows []*row
}

// A row never changes; a write replaces it.
type row struct {
	driver.Entity
	sum Sum
}

func newRow(table string, e driver.Entity) *row {
	var d Digest
	d.Text(table)
	d.Text(e.Partition)
	d.Text(e.Row)
	d.Text(string(e.ETag))
	for _, p := range e.Properties {
		d.Text(p.Name)
		d.Int(uint64(p.Value.Kind()))
		d.Int(uint64(p.Value.Number()))
		d.Text(p.Value.Text())
	}
	// An append by a reader must not write into the row.
	e.Properties = slices.Clip(e.Properties)
	return &row{e, d.Done()}
}

// Sum identifies the content. Snapshots with the same rows, ETags and messages have
// the same Sum.
func (s Snapshot) Sum() Sum { return s.sum }

// WithTable returns a snapshot that has a table of this name; a new one is empty.
func (s Snapshot) WithTable(name string) Snapshot {
	if s.tableAt(name) < 0 {
		s.tables = append(slices.Clip(s.tables), table{name: name})
	}
	return s
}

// Tables are the names of the tables, in the order in which they were made.
func (s Snapshot) Tables() []string {
	names := make([]string, len(s.tables))
	for i, t := range s.tables {
		names[i] = t.name
	}
	return names
}

func (s Snapshot) tableAt(name string) int {
	return slices.IndexFunc(s.tables, func(t table) bool { return t.name == name })
}

func (s Snapshot) rows(table string) ([]*row, error) {
	i := s.tableAt(table)
	if i < 0 {
		return nil, fmt.Errorf("%w: table %s was never created", domain.ErrUnavailable, table)
	}
	return s.tables[i].rows, nil
}

// Rows yields the rows of a table in the order of their keys.
func (s Snapshot) Rows(table string) iter.Seq[driver.Entity] {
	rows, _ := s.rows(table) // a missing table has no rows
	return func(yield func(driver.Entity) bool) {
		for _, r := range rows {
			if !yield(r.Entity) {
				return
			}
		}
	}
}

// Get reads one row, or returns domain.ErrNotFound.
func (s Snapshot) Get(table, partition, key string) (driver.Entity, error) {
	rows, err := s.rows(table)
	if err != nil {
		return driver.Entity{}, err
	}
	at, found := find(rows, partition, key)
	if !found {
		return driver.Entity{}, domain.ErrNotFound
	}
	return rows[at].Entity, nil
}

// find returns the index where the row is or would be.
func find(rows []*row, partition, key string) (at int, found bool) {
	return slices.BinarySearchFunc(rows, position{partition, key}, func(r *row, p position) int {
		return position{r.Partition, r.Row}.compare(p)
	})
}

// A position is a point in the order of rows.
type position struct{ partition, row string }

func (p position) compare(q position) int {
	if c := strings.Compare(p.partition, q.partition); c != 0 {
		return c
	}
	return strings.Compare(p.row, q.row)
}
