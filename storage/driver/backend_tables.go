package driver

import "context"

// Tables is what a backend implements: all of its tables. The operations of
// package storage do not call it; they use a [Table], which stands in front of
// it, checks the limits and gives the backend the table's name.
//
// A backend must keep all of this, and nothing may rely on more:
//
//   - Rows are ordered by partition key, then by row key, byte by byte.
//   - A row's ETag changes with every write to the row and never repeats, even
//     if the row is deleted and created again. (Azure and Azurite make it from the
//     time of the write: ARCHITECTURE.md, "Guarantees", says what a repeat needs.)
//   - An acknowledged write is as durable as the backend promises. Every read
//     that starts after the acknowledgement sees it.
//   - A page of Range is one snapshot of its partition. Nothing spans pages,
//     partitions or tables.
//   - Any call may fail after it took effect, and the backend's client may send a
//     request again without being asked. So domain.ErrExists, ErrConflict and
//     ErrNotFound may be the echo of the caller's own earlier attempt.
//
// Errors wrap their cause and one of domain.ErrNotFound, ErrExists, ErrConflict
// and ErrUnavailable. ErrUnavailable leaves open whether a write took effect: there
// was no answer, or none that says so about every operation. When its context ends, a
// call returns; it may still take effect.
type Tables interface {
	// CreateTable makes a table, or does nothing if it is there.
	CreateTable(ctx context.Context, table string) error
	// Get reads one row, or returns domain.ErrNotFound.
	Get(ctx context.Context, table, partition, row string) (Entity, error)
	// Range reads one page of the rows of one partition, in key order.
	Range(ctx context.Context, table string, q Range) (Page, error)
	// Scan reads one page of all rows of a range of partitions, in key order.
	Scan(ctx context.Context, table string, q Scan) (Page, error)
	// Transact applies an entity group transaction: 1 to 100 operations on
	// distinct rows of one partition, all or none. If one of them cannot be
	// applied, the error is an *OperationError, which names it.
	Transact(ctx context.Context, table, partition string, ops []Operation) error
}

// OneByOne is a backend that wants the reads of one operation one after another, even
// where none depends on another. The embedded store is one: a read there costs less than a
// goroutine. So is the lab, whose actors make one call at a time.
type OneByOne interface {
	Tables
	// LastFirst tells to make such reads in the opposite order. The lab explores both
	// orders with it: reads at once may take effect in any.
	LastFirst() bool
}

// Sparing is a backend that wants small transactions where their size is free. The lab is
// one: so its sweeps of a few rows are sweeps of several transactions.
type Sparing interface {
	Tables
	// MostOperations is 2 to MaxOperations.
	MostOperations() int
}

// A GroupCommitter is a backend that writes the transactions that wait for it together, in
// about the time of one. Whoever has many makes it wait for many.
type GroupCommitter interface {
	Tables
	// CommitsTogether returns how many transactions it writes together at most.
	CommitsTogether() int
}
