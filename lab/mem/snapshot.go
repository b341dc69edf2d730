package mem

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Snapshot is the whole content of a backend at one moment. It never changes. The zero value
// has every table, empty, and no queue.
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
	d.Entity(e)
	// An append by a reader must not write into the row.
	e.Properties = slices.Clip(e.Properties)
	return &row{e, d.Done()}
}

// Sum identifies the content. Snapshots with the same rows, ETags and messages have
// the same Sum.
func (s Snapshot) Sum() Sum { return s.sum }

// Do carries out a call at a time, and fills in its answer. It returns the content after it, and
// what became of rows. mint returns the ETag of the row that operation i writes, or the ID of the
// message that is sent; it must never repeat one.
func (s Snapshot) Do(c *driver.Call, now time.Time, mint func(i int) string) (next Snapshot, changes []Change, err error) {
	switch c.Method {
	case driver.CallGet:
		c.Entity, err = s.Get(c.Target, c.Partition, c.Row)
	case driver.CallRange:
		c.Page = s.page(c, position{c.Partition, c.From}, position{c.Partition, cmp.Or(c.To, afterAll)})
	case driver.CallScan:
		c.Page = s.page(c, position{c.From, ""}, position{cmp.Or(c.To, afterAll), ""})
	case driver.CallTransact:
		s, changes, err = s.transact(c, mint)
	case driver.CallCreateTable:
	default:
		s, err = s.doQueue(c, now, mint)
	}
	return s, changes, err
}

func (s Snapshot) rows(table string) []*row {
	for _, t := range s.tables {
		if t.name == table {
			return t.rows
		}
	}
	return nil
}

// Tables are the names of the tables that were written to.
func (s Snapshot) Tables() []string {
	names := make([]string, len(s.tables))
	for i, t := range s.tables {
		names[i] = t.name
	}
	return names
}

// Rows yields the rows of a table in the order of their keys.
func (s Snapshot) Rows(table string) iter.Seq[driver.Entity] {
	return func(yield func(driver.Entity) bool) {
		for _, r := range s.rows(table) {
			if !yield(r.Entity) {
				return
			}
		}
	}
}

// Get reads one row, or returns domain.ErrNotFound.
func (s Snapshot) Get(table, partition, key string) (driver.Entity, error) {
	rows := s.rows(table)
	at, found := find(rows, partition, key)
	if !found {
		return driver.Entity{}, domain.ErrNotFound
	}
	return rows[at].Entity, nil
}

// find returns the index where the row is or would be.
func find(rows []*row, partition, key string) (at int, found bool) {
	return slices.BinarySearchFunc(rows, position{partition, key}, func(r *row, p position) int {
		return r.position().compare(p)
	})
}

// A position is a point in the order of rows.
type position struct{ partition, row string }

func (r *row) position() position { return position{r.Partition, r.Row} }

func (p position) compare(q position) int {
	if c := strings.Compare(p.partition, q.partition); c != 0 {
		return c
	}
	return strings.Compare(p.row, q.row)
}
