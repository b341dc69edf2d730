package bolt

import (
	"fmt"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A transaction is the change of an entity group transaction. The caller's goroutine
// encodes all that does not depend on the state, to relieve the only writer.
type transaction struct {
	table string
	epoch uint64
	steps []step
	bytes int
}

// A step is one operation. It shares no memory with the caller, who may go on and
// change its own after its context has ended.
type step struct {
	action    driver.Action
	condition driver.Condition
	key       []byte
	// changes is the properties that a merge sets.
	changes driver.Properties
	// encoded is all properties that the row will have. For a merge, check
	// computes it from the row.
	encoded []byte
}

func newTransaction(table, partition string, ops []driver.Operation, epoch uint64) *transaction {
	t := &transaction{table: table, epoch: epoch, steps: make([]step, len(ops))}
	for i, op := range ops {
		s := step{action: op.Action, condition: op.If, key: rowKey(partition, op.Row)}
		if op.Action != driver.ActionDelete {
			s.encoded = encodeProperties(op.Properties)
		}
		if op.Action == driver.ActionMerge {
			s.changes = slices.Clone(op.Properties)
		}
		t.bytes += len(s.key) + len(s.encoded)
		t.steps[i] = s
	}
	return t
}

func (t *transaction) size() int { return t.bytes }

// check names the first operation that cannot be applied. The operations are on
// distinct rows, so none depends on another.
func (t *transaction) check(tx *bbolt.Tx) error {
	bucket, err := openTable(tx, t.table)
	if err != nil {
		return err
	}
	for i := range t.steps {
		s := &t.steps[i]
		if err := s.check(bucket.Get(s.key)); err != nil {
			return &driver.OperationError{Index: i, Err: err}
		}
	}
	return nil
}

// check tells whether the step can be applied to a row with this record. The record
// is nil if there is no row.
func (s *step) check(value []byte) error {
	switch {
	case s.action == driver.ActionInsert && value == nil:
		return nil
	case s.action == driver.ActionInsert:
		return domain.ErrExists
	case value == nil && s.condition.AllowsAbsent():
		return nil
	case value == nil:
		return domain.ErrNotFound
	}
	etag, isMatch := s.condition.ETag()
	if !isMatch && s.action != driver.ActionMerge {
		return nil
	}
	stored, err := decodeRecord(string(value))
	if err != nil {
		return err
	}
	if isMatch && etag != stored.etag {
		return fmt.Errorf("%w: the ETag is %s", domain.ErrConflict, stored.etag)
	}
	if s.action == driver.ActionMerge {
		return s.merge(stored)
	}
	return nil
}

// merge computes the properties that the row will have after a merge.
func (s *step) merge(stored record) error {
	if len(s.changes) == 0 { // a guard
		s.encoded = []byte(stored.encoded)
		return nil
	}
	properties, err := stored.properties()
	if err != nil {
		return err
	}
	s.encoded = encodeProperties(properties.Merged(s.changes))
	return nil
}

func (t *transaction) apply(tx *bbolt.Tx) error {
	bucket := tx.Bucket(tableBucket(t.table))
	for i := range t.steps {
		s := &t.steps[i]
		if s.action == driver.ActionDelete {
			if err := bucket.Delete(s.key); err != nil {
				return err
			}
			continue
		}
		etag, err := nextETag(bucket, t.epoch)
		if err != nil {
			return err
		}
		if err := bucket.Put(s.key, encodeRecord(etag, s.encoded)); err != nil {
			return err
		}
	}
	return nil
}

// nextETag returns the epoch and the number of writes to the table. The number alone
// could repeat: a loss of power can undo a commit that a reader has seen but that
// was not acknowledged, and the number with it. The next epoch is another.
func nextETag(bucket *bbolt.Bucket, epoch uint64) (driver.ETag, error) {
	n, err := bucket.NextSequence()
	if err != nil {
		return "", err
	}
	b := strconv.AppendUint(make([]byte, 0, 24), epoch, 36)
	b = strconv.AppendUint(append(b, '.'), n, 36)
	return driver.ETag(b), nil
}
