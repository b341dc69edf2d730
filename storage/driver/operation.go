package driver

import "fmt"

// Action is what an operation does to its row.
type Action string

// The actions. An insert needs no condition: it requires that the row is absent.
const (
	ActionInsert  Action = "insert"
	ActionMerge   Action = "merge"
	ActionReplace Action = "replace"
	ActionDelete  Action = "delete"
)

// A Condition must hold when a merge, replace or delete is applied. The zero
// Condition is refused: Azure's SDK takes a missing condition for an upsert, which
// would create the condition row whose absence must stop the transaction.
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

// Exists holds if the row is there, in any version.
var Exists = Condition{kind: conditionExists}

// Upsert always holds: a merge or replace creates the row if it is missing. It
// cannot be the condition of a delete.
var Upsert = Condition{kind: conditionNone}

// Match holds if the row is there in exactly this version.
func Match(etag ETag) Condition { return Condition{kind: conditionETag, etag: etag} }

// ETag returns the version that the row must have, and false if the condition is
// not a Match.
func (c Condition) ETag() (ETag, bool) { return c.etag, c.kind == conditionETag }

// AllowsAbsent reports whether the condition holds for a row that is missing.
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
// changes only the ETag; such a merge is a condition of the rest of its transaction. It
// fails with domain.ErrNotFound if the row is missing, and with ErrConflict if it
// has another ETag than the condition.
func Merge(row string, c Condition, p ...Property) Operation {
	return Operation{Action: ActionMerge, Row: row, If: c, Properties: p}
}

// Replace sets the given properties and drops the others. It fails as Merge does.
func Replace(row string, c Condition, p ...Property) Operation {
	return Operation{Action: ActionReplace, Row: row, If: c, Properties: p}
}

// Delete removes a row. It fails as Merge does.
func Delete(row string, c Condition) Operation {
	return Operation{Action: ActionDelete, Row: row, If: c}
}

// OperationError names the operation that made a transaction fail. This attempt
// applied nothing of the transaction. An earlier attempt of the same request may
// have applied all of it.
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
