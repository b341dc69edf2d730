package mem

import (
	"encoding/base64"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A span is the rows from start to before end; endless, to the end of the
// table.
type span struct {
	start, end position
	endless    bool
}

// afterAll is greater than every key: keys are valid UTF-8.
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
		last, err := of.resume(p.Continuation)
		if err != nil {
			return driver.Page{}, err
		}
		var found bool
		if at, found = find(rows, last.partition, last.row); found {
			at++
		}
	}
	var page driver.Page
	for ; at < len(rows) && of.holds(position{rows[at].Partition, rows[at].Row}); at++ {
		if len(page.Rows) == p.Limit {
			last := page.Rows[p.Limit-1]
			page.Continuation = continuationAfter(position{last.Partition, last.Row})
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

// A continuation is the position of the last row that was read, which need not
// be there any more.
func continuationAfter(p position) string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.partition + "\x00" + p.row))
}

// resume refuses what this span cannot have given.
func (of span) resume(continuation string) (last position, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(continuation)
	partition, row, found := strings.Cut(string(raw), "\x00")
	last = position{partition, row}
	if err != nil || !found || strings.Contains(row, "\x00") || !of.holds(last) {
		return position{}, domain.Invalid("continuation", "is not one that this selection gave")
	}
	return last, nil
}
