package bolt

import (
	"fmt"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A transaction is the change of storage's entity group transaction. Whatever
// can be encoded without knowing the state is encoded by the caller, for there
// is only one writer.
type transaction struct {
	table string
	epoch uint64
	steps []step
	bytes int
}

// A step is one operation. It keeps nothing of the caller's that the caller may
// write to after its context has ended.
type step struct {
	action    driver.Action
	condition driver.Condition
	key       []byte
	// changes is the properties of a merge.
	changes driver.Properties
	// encoded is the properties that the row will have; check adds to a merge
	// what the row has already.
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

// check names the first operation that cannot be applied. Their rows are
// distinct, so that none depends on another.
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

// check compares the step with the row's record, which is nil if there is none.
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

// merge makes the step's properties those that the row will have.
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

// nextETag counts the writes to a table since it was created. A loss of power
// can take back a commit that a reader has just seen but nobody was told of,
// and its count with it; so the number of the opening stands before the count.
func nextETag(bucket *bbolt.Bucket, epoch uint64) (driver.ETag, error) {
	n, err := bucket.NextSequence()
	if err != nil {
		return "", err
	}
	b := strconv.AppendUint(make([]byte, 0, 16), epoch, 36)
	b = strconv.AppendUint(append(b, '.'), n, 36)
	return driver.ETag(b), nil
}
