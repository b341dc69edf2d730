package bolt

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func (db *DB) get(ctx context.Context, c *driver.Call) (e driver.Entity, err error) {
	err = db.look(ctx, bucketOf(c), func(bucket *bbolt.Bucket) error {
		key := rowKey(c.Partition, c.Row)
		value := bucket.Get(key)
		if value == nil {
			return domain.ErrNotFound
		}
		e, err = decodeRow(key, value, driver.Paging{})
		return err
	})
	return e, err
}

// page reads a page of a Range or a Scan.
func (db *DB) page(ctx context.Context, c *driver.Call) (page driver.Page, err error) {
	s := span{partitionBound(c.From), partitionBound(c.To)}
	if c.Method == driver.CallRange {
		s = span{rowKey(c.Partition, c.From), rowKey(c.Partition, c.To)}
		if c.To == "" {
			s.end = append([]byte(c.Partition), separator+1)
		}
	}
	err = db.look(ctx, bucketOf(c), func(bucket *bbolt.Bucket) error {
		page, err = s.page(bucket.Cursor(), c.Paging)
		return err
	})
	return page, err
}

// separator is between the partition key and the row key. It sorts before every
// byte of a key. So the rows of partition "a" sort before those of "ab".
const separator = 0

func rowKey(partition, row string) []byte {
	key := make([]byte, 0, len(partition)+1+len(row))
	key = append(key, partition...)
	key = append(key, separator)
	return append(key, row...)
}

// decodeRow copies a row, or the part of it that is wanted, out of the file.
func decodeRow(key, value []byte, p driver.Paging) (e driver.Entity, err error) {
	var found bool
	if e.Partition, e.Row, found = strings.Cut(string(key), string(rune(separator))); !found {
		return driver.Entity{}, fmt.Errorf("key %q: %w", key, errCorrupt)
	}
	if p.KeysOnly {
		return e, nil
	}
	if e.ETag, e.Properties, err = decodeRecord(key, value, p.Select); err != nil {
		return driver.Entity{}, fmt.Errorf("row (%q, %q): %w", e.Partition, e.Row, err)
	}
	return e, nil
}

// A span selects the keys from start up to but not including end, or up to the end
// of the table if end is empty.
type span struct{ start, end []byte }

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

// page reads one page of the span.
func (s span) page(cursor *bbolt.Cursor, p driver.Paging) (driver.Page, error) {
	page := driver.Page{Rows: make([]driver.Entity, 0, min(p.Limit, 32)), Counted: true}
	var last []byte
	key, value := s.seek(cursor, p.Continuation)
	for ; s.holds(key) && len(page.Rows) < p.Limit; key, value = cursor.Next() {
		row, err := decodeRow(key, value, p)
		if err != nil {
			return driver.Page{}, err
		}
		page.Rows, last = append(page.Rows, row), key
	}
	page.Read = len(page.Rows)
	if s.holds(key) && last != nil {
		page.Continuation = string(last)
		page.Read++
	}
	return page, nil
}

// transact encodes all that does not depend on the state, to relieve the only writer.
func (db *DB) transact(ctx context.Context, c *driver.Call) error {
	steps, size := make([]step, len(c.Operations)), 0
	for i, op := range c.Operations {
		steps[i] = step{Operation: op, key: rowKey(c.Partition, op.Row), encoded: encodeProperties(op.Properties)}
		steps[i].Properties = slices.Clone(op.Properties)
		size += len(steps[i].key) + len(steps[i].encoded)
	}
	return db.change(ctx, bucketOf(c), change{size: size}, func(bucket *bbolt.Bucket) (func() error, error) {
		// The operations are on distinct rows, so none depends on another.
		for i := range steps {
			if err := steps[i].check(bucket.Get(steps[i].key)); err != nil {
				return nil, &driver.OperationError{Index: i, Err: err}
			}
		}
		return func() error { return db.write(bucket, steps) }, nil
	})
}

// A step is one operation. It shares no memory with the caller, who may go on and
// change its own after its context has ended.
type step struct {
	driver.Operation
	key []byte
	// encoded is all properties that the row will have. For a merge, check
	// computes it from the row.
	encoded []byte
}

// check returns nil if the step can be applied to a row with this record. The record
// is nil if there is no row.
func (s *step) check(value []byte) error {
	switch {
	case s.Action == driver.ActionInsert && value == nil:
		return nil
	case s.Action == driver.ActionInsert:
		return domain.ErrExists
	case value == nil && s.If.AllowsAbsent():
		return nil
	case value == nil:
		return domain.ErrNotFound
	}
	etag, isMatch := s.If.ETag()
	if !isMatch && s.Action != driver.ActionMerge {
		return nil
	}
	stored, properties, err := decodeRecord(s.key, value, nil)
	if err != nil {
		return err
	}
	if isMatch && etag != stored {
		return fmt.Errorf("%w: the ETag is %s", domain.ErrConflict, stored)
	}
	if s.Action == driver.ActionMerge {
		s.encoded = encodeProperties(properties.Merged(s.Properties))
	}
	return nil
}

// write applies the steps of a transaction.
func (db *DB) write(bucket *bbolt.Bucket, steps []step) error {
	for _, s := range steps {
		if s.Action == driver.ActionDelete {
			if err := bucket.Delete(s.key); err != nil {
				return err
			}
			continue
		}
		// An ETag is the epoch and the number of writes to the table. The number alone could
		// repeat: a loss of power can undo a commit that a reader has seen but that was not
		// acknowledged, and the number with it. The next epoch is another.
		n, err := bucket.NextSequence()
		if err != nil {
			return err
		}
		etag := strconv.FormatUint(db.epoch, 36) + "." + strconv.FormatUint(n, 36)
		if err := bucket.Put(s.key, encodeRecord(s.key, driver.ETag(etag), s.encoded)); err != nil {
			return err
		}
	}
	return nil
}
