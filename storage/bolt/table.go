package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// CreateTable implements driver.Tables.
func (db *DB) CreateTable(ctx context.Context, table string) error {
	return db.create(ctx, tableBucket(table))
}

// Get implements driver.Tables.
func (db *DB) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	var entity driver.Entity
	err := db.viewTable(ctx, table, func(bucket *bbolt.Bucket) (err error) {
		key := rowKey(partition, row)
		value := bucket.Get(key)
		if value == nil {
			return domain.ErrNotFound
		}
		entity, err = decodeRow(key, value, driver.Paging{})
		return err
	})
	return entity, err
}

// Range implements driver.Tables.
func (db *DB) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	s := span{rowKey(q.Partition, q.From), rowKey(q.Partition, q.To)}
	if q.To == "" {
		s.end = append([]byte(q.Partition), separator+1)
	}
	return db.readPage(ctx, table, s, q.Paging)
}

// Scan implements driver.Tables.
func (db *DB) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return db.readPage(ctx, table, span{partitionBound(q.From), partitionBound(q.To)}, q.Paging)
}

func (db *DB) readPage(ctx context.Context, table string, s span, p driver.Paging) (page driver.Page, err error) {
	err = db.viewTable(ctx, table, func(bucket *bbolt.Bucket) (err error) {
		page, err = s.page(bucket.Cursor(), p)
		return err
	})
	return page, err
}

// viewTable reads one snapshot of a table.
func (db *DB) viewTable(ctx context.Context, table string, read func(*bbolt.Bucket) error) error {
	err := db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openTable(tx, table)
		if err != nil {
			return err
		}
		return read(bucket)
	})
	if err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}

func openTable(tx *bbolt.Tx, table string) (*bbolt.Bucket, error) {
	bucket := tx.Bucket(tableBucket(table))
	if bucket == nil {
		return nil, fmt.Errorf("%w: the table was never created", domain.ErrUnavailable)
	}
	return bucket, nil
}

// create makes the bucket of a table or queue, if it is missing.
func (db *DB) create(ctx context.Context, name []byte) error {
	err := db.submit(ctx, change{size: len(name), check: func(tx *bbolt.Tx) (func() error, error) {
		if tx.Bucket(name) != nil {
			return nil, errNoChange
		}
		return func() error { _, err := tx.CreateBucket(name); return err }, nil
	}})
	if errors.Is(err, errNoChange) {
		return nil
	}
	return err
}

// separator stands between the partition key and the row key. It sorts before every
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
	if e.ETag, e.Properties, err = decodeRecord(value, p.Select); err != nil {
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

// Transact implements driver.Tables.
func (db *DB) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	if err := db.submit(ctx, db.transaction(table, partition, ops)); err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}

// transaction encodes all that does not depend on the state, to relieve the only writer.
func (db *DB) transaction(table, partition string, ops []driver.Operation) change {
	steps, size := make([]step, len(ops)), 0
	for i, op := range ops {
		steps[i] = step{Operation: op, key: rowKey(partition, op.Row), encoded: encodeProperties(op.Properties)}
		steps[i].Properties = slices.Clone(op.Properties)
		size += len(steps[i].key) + len(steps[i].encoded)
	}
	return change{size: size, check: func(tx *bbolt.Tx) (func() error, error) {
		bucket, err := openTable(tx, table)
		if err != nil {
			return nil, err
		}
		// The operations are on distinct rows, so none depends on another.
		for i := range steps {
			if err := steps[i].check(bucket.Get(steps[i].key)); err != nil {
				return nil, &driver.OperationError{Index: i, Err: err}
			}
		}
		return func() error { return db.write(bucket, steps) }, nil
	}}
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

// check tells whether the step can be applied to a row with this record. The record
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
	stored, properties, err := decodeRecord(value, nil)
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
		if err := bucket.Put(s.key, encodeRecord(driver.ETag(etag), s.encoded)); err != nil {
			return err
		}
	}
	return nil
}
