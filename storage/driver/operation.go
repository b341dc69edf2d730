package driver

import "fmt"

// Action is what an operation does to its row.
type Action uint8

// The actions. Insert is by itself conditional on the row being absent.
const (
	ActionInsert Action = iota + 1
	ActionMerge
	ActionReplace
	ActionDelete
)

func (a Action) String() string {
	switch a {
	case ActionInsert:
		return "insert"
	case ActionMerge:
		return "merge"
	case ActionReplace:
		return "replace"
	case ActionDelete:
		return "delete"
	default:
		return fmt.Sprintf("action %d", uint8(a))
	}
}

// A Condition must hold when a merge, replace or delete is applied. There is no
// zero value that means "whatever": Azure's SDK takes an absent condition for
// an upsert, which would create a guard row that is missing.
type Condition struct {
	kind conditionKind
	etag ETag
}

type conditionKind uint8

const (
	conditionExists conditionKind = iota + 1
	conditionETag
	conditionNone
)

// Exists holds if the row is there, in whatever version.
var Exists = Condition{kind: conditionExists}

// Upsert always holds: a merge or replace creates the row if it is missing. A
// delete cannot have it.
var Upsert = Condition{kind: conditionNone}

// Match holds if the row is there in exactly this version.
func Match(etag ETag) Condition { return Condition{kind: conditionETag, etag: etag} }

// ETag is the version that must stand, if the condition names one.
func (c Condition) ETag() (ETag, bool) { return c.etag, c.kind == conditionETag }

// AllowsAbsent tells whether the condition holds for a row that is missing.
func (c Condition) AllowsAbsent() bool { return c.kind == conditionNone }

// An Operation is one part of a transaction.
type Operation struct {
	Action     Action
	Row        string
	Properties Properties
	// If is ignored by an insert.
	If Condition
}

// Insert creates a row, and fails with domain.ErrExists if it is there.
func Insert(row string, p ...Property) Operation {
	return Operation{Action: ActionInsert, Row: row, Properties: p}
}

// Merge sets the given properties and keeps the others. Without properties it
// changes nothing but the ETag: a guard. It fails with domain.ErrNotFound if
// the row is missing and with ErrConflict if it has another ETag.
func Merge(row string, c Condition, p ...Property) Operation {
	return Operation{Action: ActionMerge, Row: row, If: c, Properties: p}
}

// Replace sets the given properties and drops the others. It fails as Merge.
func Replace(row string, c Condition, p ...Property) Operation {
	return Operation{Action: ActionReplace, Row: row, If: c, Properties: p}
}

// Delete removes a row. It fails as Merge.
func Delete(row string, c Condition) Operation {
	return Operation{Action: ActionDelete, Row: row, If: c}
}

// OperationError names the operation that made a transaction fail. Nothing of
// the transaction was applied by this attempt; an earlier attempt of the same
// request may have been.
type OperationError struct {
	// Index is the position of the operation in the transaction, from 0.
	Index int
	// Err wraps domain.ErrNotFound, ErrExists or ErrConflict.
	Err error
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d: %v", e.Index, e.Err)
}

func (e *OperationError) Unwrap() error { return e.Err }
