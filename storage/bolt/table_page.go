package bolt

import (
	"bytes"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

// separator stands between the partition key and the row key. It sorts before every
// byte of a key. So the rows of partition "a" sort before those of "ab".
const separator = 0

func rowKey(partition, row string) []byte {
	key := make([]byte, 0, len(partition)+1+len(row))
	key = append(key, partition...)
	key = append(key, separator)
	return append(key, row...)
}

// A span selects the keys from start up to but not including end, or up to the end
// of the table if end is empty.
type span struct{ start, end []byte }

func rangeSpan(q driver.Range) span {
	if q.To == "" {
		return span{rowKey(q.Partition, q.From), append([]byte(q.Partition), separator+1)}
	}
	return span{rowKey(q.Partition, q.From), rowKey(q.Partition, q.To)}
}

func scanSpan(q driver.Scan) span {
	return span{partitionBound(q.From), partitionBound(q.To)}
}

// partitionBound returns where a partition of this key starts or would start. The
// bound of a scan need not be a valid key and may hold the separator; then the byte
// after the separator bounds the same partitions.
func partitionBound(partition string) []byte {
	valid, _, found := strings.Cut(partition, string(rune(separator)))
	if found {
		return append([]byte(valid), separator+1)
	}
	return []byte(valid)
}

func (s span) holds(key []byte) bool {
	return key != nil && bytes.Compare(key, s.start) >= 0 && (len(s.end) == 0 || bytes.Compare(key, s.end) < 0)
}

// seek moves the cursor to the first key of the span after the continuation. A
// continuation is the key of the last row of a page; that row may be gone.
func (s span) seek(cursor *bbolt.Cursor, continuation string) (key, value []byte) {
	last := []byte(continuation)
	if continuation == "" || bytes.Compare(last, s.start) < 0 {
		return cursor.Seek(s.start)
	}
	if key, value = cursor.Seek(last); bytes.Equal(key, last) {
		return cursor.Next()
	}
	return key, value
}

// A rawRow is memory of the mapped file. It is valid until the read ends.
type rawRow struct{ key, value []byte }

// collect reads one page of the span.
func collect(cursor *bbolt.Cursor, s span, p driver.Paging) (driver.Page, error) {
	key, value := s.seek(cursor, p.Continuation)
	rows := make([]rawRow, 0, min(p.Limit, 32))
	for ; s.holds(key) && len(rows) < p.Limit; key, value = cursor.Next() {
		switch {
		case p.KeysOnly:
			value = nil
		case len(p.Select) > 0:
			var err error
			if value, err = selectProperties(value, p.Select); err != nil {
				partition, row, _ := strings.Cut(string(key), string(rune(separator)))
				return driver.Page{}, damaged(partition, row, err)
			}
		}
		rows = append(rows, rawRow{key, value})
	}
	page := driver.Page{Read: len(rows), Counted: true}
	if s.holds(key) && len(rows) > 0 {
		page.Continuation = string(rows[len(rows)-1].key)
		page.Read++
	}
	var err error
	page.Rows, err = decodeRows(rows, p.KeysOnly)
	return page, err
}

// decodeRows copies the rows out of the file. All keys and texts become parts of
// one string, and all properties parts of one slice, to save allocations.
func decodeRows(rows []rawRow, keysOnly bool) ([]driver.Entity, error) {
	size := 0
	for _, row := range rows {
		size += len(row.key) + len(row.value)
	}
	var copied strings.Builder
	copied.Grow(size)
	for _, row := range rows {
		copied.Write(row.key)
		copied.Write(row.value)
	}
	entities := make([]driver.Entity, len(rows))
	records := make([]record, len(rows))
	rest, count := copied.String(), 0
	for i, row := range rows {
		key, value := rest[:len(row.key)], rest[len(row.key):len(row.key)+len(row.value)]
		rest = rest[len(key)+len(value):]
		var found bool
		if entities[i].Partition, entities[i].Row, found = strings.Cut(key, string(rune(separator))); !found {
			return nil, fmt.Errorf("key %q: %w", key, errCorrupt)
		}
		if keysOnly {
			continue
		}
		var err error
		if records[i], err = decodeRecord(value); err != nil {
			return nil, damaged(entities[i].Partition, entities[i].Row, err)
		}
		count += records[i].count
	}
	if keysOnly {
		return entities, nil
	}
	return entities, decodeAll(entities, records, count)
}

// decodeAll decodes the ETags and properties of all rows. There are count properties.
func decodeAll(entities []driver.Entity, records []record, count int) error {
	all := make(driver.Properties, 0, count)
	for i, r := range records {
		first := len(all)
		var err error
		if all, err = r.appendTo(all); err != nil {
			return damaged(entities[i].Partition, entities[i].Row, err)
		}
		entities[i].ETag = r.etag
		// The capacity ends with the row, so that an append by the caller does not
		// write into the next row.
		entities[i].Properties = all[first:len(all):len(all)]
	}
	return nil
}
