package mem

import (
	"slices"
	"strings"

	"microblogging/storage/driver"
)

// separator is between the two keys in a continuation, which names the last
// row of a page; that row may be gone.
const separator = "\x00"

// afterAll sorts after every key, because keys are ASCII.
const afterAll = "\xff"

// page reads one page of the rows from start up to but not including end.
func (s Snapshot) page(c *driver.Call, start, end position) driver.Page {
	rows, p := s.rows(c.Target), c.Paging
	at, _ := find(rows, start.partition, start.row)
	if p.Continuation != "" {
		partition, row, _ := strings.Cut(p.Continuation, separator)
		last, found := find(rows, partition, row)
		if found {
			last++
		}
		at = max(at, last)
	}
	page := driver.Page{Counted: true}
	for ; at < len(rows) && rows[at].position().compare(end) < 0; at++ {
		page.Read++
		if len(page.Rows) == p.Limit {
			last := page.Rows[p.Limit-1]
			page.Continuation = last.Partition + separator + last.Row
			break
		}
		entity := rows[at].Entity
		if p.KeysOnly || len(p.Select) > 0 {
			entity.ETag, entity.Properties = "", slices.DeleteFunc(slices.Clone(entity.Properties), func(property driver.Property) bool {
				return !slices.Contains(p.Select, property.Name)
			})
		}
		page.Rows = append(page.Rows, entity)
	}
	return page
}
