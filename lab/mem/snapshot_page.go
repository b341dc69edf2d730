package mem

import (
	"slices"
	"strings"

	"microblogging/storage/driver"
)

// A span selects the rows from start up to but not including end. If it is endless,
// it selects all rows from start on.
type span struct {
	start, end position
	endless    bool
}

// separator stands between the two keys in a continuation, which names the last
// row of a page; that row may be gone.
const separator = "\x00"

// afterAll sorts after every key, because keys are ASCII.
const afterAll = "\xff"

// Range reads one page of one partition.
func (s Snapshot) Range(table string, q driver.Range) (driver.Page, error) {
	to := q.To
	if to == "" {
		to = afterAll
	}
	return s.page(table, span{start: position{q.Partition, q.From}, end: position{q.Partition, to}}, q.Paging)
}

// Scan reads one page of a range of partitions.
func (s Snapshot) Scan(table string, q driver.Scan) (driver.Page, error) {
	return s.page(table, span{start: position{q.From, ""}, end: position{q.To, ""}, endless: q.To == ""}, q.Paging)
}

func (s Snapshot) page(table string, of span, p driver.Paging) (driver.Page, error) {
	rows, err := s.rows(table)
	if err != nil {
		return driver.Page{}, err
	}
	at, _ := find(rows, of.start.partition, of.start.row)
	if p.Continuation != "" {
		partition, row, _ := strings.Cut(p.Continuation, separator)
		last, found := find(rows, partition, row)
		if found {
			last++
		}
		at = max(at, last)
	}
	page := driver.Page{Counted: true}
	for ; at < len(rows) && of.holds(position{rows[at].Partition, rows[at].Row}); at++ {
		page.Read++
		if len(page.Rows) == p.Limit {
			last := page.Rows[p.Limit-1]
			page.Continuation = last.Partition + separator + last.Row
			break
		}
		entity := rows[at].Entity
		if p.KeysOnly || len(p.Select) > 0 {
			entity.ETag, entity.Properties = "", selectProperties(entity.Properties, p.Select)
		}
		page.Rows = append(page.Rows, entity)
	}
	return page, nil
}

// selectProperties returns the named properties, in a slice of its own.
func selectProperties(properties driver.Properties, names []string) (selected driver.Properties) {
	for _, p := range properties {
		if slices.Contains(names, p.Name) {
			selected = append(selected, p)
		}
	}
	return selected
}

func (of span) holds(p position) bool {
	return p.compare(of.start) >= 0 && (of.endless || p.compare(of.end) < 0)
}
