package bolt

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

var _ driver.Backend = (*DB)(nil)

// Traits implements driver.Backend. A read takes a few microseconds.
func (db *DB) Traits() driver.Traits {
	return driver.Traits{CommitsTogether: maxBatch, Await: db.await}
}

// CreateTable implements driver.Tables.
func (db *DB) CreateTable(ctx context.Context, table string) error {
	return db.create(ctx, tableBucket(table))
}

// Get implements driver.Tables.
func (db *DB) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	entity := driver.Entity{Partition: partition, Row: row}
	err := db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openTable(tx, table)
		if err != nil {
			return err
		}
		value := bucket.Get(rowKey(partition, row))
		if value == nil {
			return domain.ErrNotFound
		}
		stored, err := decodeRecord(string(value))
		if err != nil {
			return damaged(partition, row, err)
		}
		entity.ETag = stored.etag
		if entity.Properties, err = stored.properties(); err != nil {
			return damaged(partition, row, err)
		}
		return nil
	})
	if err != nil {
		return driver.Entity{}, fmt.Errorf("table %s: %w", table, err)
	}
	return entity, nil
}

// Range implements driver.Tables.
func (db *DB) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	return db.readPage(ctx, table, rangeSpan(q), q.Paging)
}

// Scan implements driver.Tables.
func (db *DB) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return db.readPage(ctx, table, scanSpan(q), q.Paging)
}

func (db *DB) readPage(ctx context.Context, table string, s span, p driver.Paging) (driver.Page, error) {
	var page driver.Page
	err := db.view(ctx, func(tx *bbolt.Tx) error {
		bucket, err := openTable(tx, table)
		if err != nil {
			return err
		}
		page, err = collect(bucket.Cursor(), s, p)
		return err
	})
	if err != nil {
		return driver.Page{}, fmt.Errorf("table %s: %w", table, err)
	}
	return page, nil
}

// Transact implements driver.Tables.
func (db *DB) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	if err := db.submit(ctx, newTransaction(table, partition, ops, db.epoch)); err != nil {
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
	err := db.submit(ctx, creation(name))
	if errors.Is(err, errNoChange) {
		return nil
	}
	return err
}

// A creation is the change that makes the bucket of this name.
type creation []byte

func (c creation) check(tx *bbolt.Tx) error {
	if tx.Bucket(c) != nil {
		return errNoChange
	}
	return nil
}

func (c creation) apply(tx *bbolt.Tx) error {
	_, err := tx.CreateBucket(c)
	return err
}

func (c creation) size() int { return len(c) }

// damaged names the row whose record cannot be read.
func damaged(partition, row string, err error) error {
	return fmt.Errorf("row (%q, %q): %w", partition, row, err)
}
