package bolt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// separator stands between a partition key and a row key. It sorts before every
// byte of a key, so that a partition sorts before those that its key starts.
const separator = 0

func rowKey(partition, row string) []byte {
	key := make([]byte, 0, len(partition)+1+len(row))
	key = append(key, partition...)
	key = append(key, separator)
	return append(key, row...)
}

// A span is the keys from start to before end, or to the end of the table if
// end is empty.
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

// partitionBound is where a partition of this key starts or would start. A key
// that is no valid one may hold the separator; the next byte bounds the same
// partitions.
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

// A continuation is the key of the last row that was read, which need not be
// there any more.
func continuationAfter(key []byte) string { return base64.RawURLEncoding.EncodeToString(key) }

// resume returns the last key read, or nil at the start. It refuses what this
// span cannot have given, for continuations come back through web addresses.
func (s span) resume(continuation string) (last []byte, err error) {
	if continuation == "" {
		return nil, nil
	}
	last, err = base64.RawURLEncoding.DecodeString(continuation)
	if err != nil || continuationAfter(last) != continuation || !s.holds(last) || bytes.Count(last, []byte{separator}) != 1 {
		return nil, domain.Invalid("continuation", "is not one that this selection gave")
	}
	return last, nil
}

// A rawRow lies in the mapped file: it is valid as long as the read.
type rawRow struct{ key, value []byte }

// collect reads one page, after the last key that was read.
func collect(cursor *bbolt.Cursor, s span, last []byte, p driver.Paging) (driver.Page, error) {
	start := s.start
	if last != nil {
		start = last
	}
	key, value := cursor.Seek(start)
	if last != nil && bytes.Equal(key, last) {
		key, value = cursor.Next()
	}
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
	page := driver.Page{}
	if s.holds(key) && len(rows) > 0 {
		page.Continuation = continuationAfter(rows[len(rows)-1].key)
	}
	var err error
	page.Rows, err = decodeRows(rows, p.KeysOnly)
	return page, err
}

// decodeRows copies the rows out of the file into one string, of which all keys
// and texts are parts, and all properties into one slice.
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

// decodeAll decodes count properties.
func decodeAll(entities []driver.Entity, records []record, count int) error {
	all := make(driver.Properties, 0, count)
	for i, r := range records {
		first := len(all)
		var err error
		if all, err = r.appendTo(all); err != nil {
			return damaged(entities[i].Partition, entities[i].Row, err)
		}
		entities[i].ETag = r.etag
		// The capacity ends with the row: whoever appends must not write into
		// the next one.
		entities[i].Properties = all[first:len(all):len(all)]
	}
	return nil
}
