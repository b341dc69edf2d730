// Package storage implements every operation of MicroBlogging on its tables and
// queues, written once for all backends.
//
// # The problem
//
// A channel's rows lie in several partitions and tables, and no transaction
// spans them. A process may die between two writes, a request may take effect
// long after its caller gave up, and a queue may deliver a message twice. The
// invariants I1 to I12 of package domain must hold all the same.
//
// # The model
//
// A [Store] runs on any backend that keeps the contract of package driver. Three
// ideas carry all of its operations:
//
//   - The gate (package fence). Rows that must not outlive a channel are in one
//     partition. A transaction there that changes what the channel's pages show, or
//     that sweeps, depends on a gate row, which the store checks in the same
//     transaction. The gate's version is the version of the pages.
//   - Identities. An operation writes a random identity of its own: an
//     incarnation, a post's id or a revision. If a response was lost, the operation
//     reads the row and looks for that identity. It never reports "exists" or
//     "conflict" before it has read the row.
//   - The order of writes. Where an operation writes several times, its comment
//     says what a reader would find if the process died there, and who repairs
//     it. The repair always belongs to something that runs anyway.
//
// A store has a version: a row that says what all rows and messages are, and that is written before any
// other row. A program leaves a store of another version alone (package version).
//
// Each subject has a package:
//
//	schema     every kind of row; no other package makes keys
//	version    the version of the store
//	fence      the core protocol, in internal: create, gate, shut, sweep, remove-gate, release
//	channel    what users do with channels, their lists, and pages that a process keeps
//	deletion   the intent to delete: pivot, message, record, index, reconciling pass, poison
//	blog       posts, replies, votes and ratings
//	reader     subscriptions, and what is read of them
//	account    users, sessions and the limit on password guessing
//	erasure    the deletion of an account
//	check      a check of the rows against the invariants, and repair
//	move       a copy of one store into another
//
// Package fence imports none of the packages that use it. Below them are optimistic (conditional
// writes of one row), concurrent (concurrent calls) and driver (the contract of a backend).
//
// [New] returns a store in parts, one for each role. The web role gets a [Store]: a field for each
// subject, such as Posts, whose type has what users do. Such a package has a second type, Steps, which
// holds the first: it has what workers, repairs and other packages do. A worker gets the interface
// [Steps], and the commands of an operator an [Operator]. TestSurface lists what web and worker can
// reach. It fails for an operation that is on neither list.
//
// # What survives failure
//
// What an operation acknowledged. What it did not acknowledge may have happened
// or may still happen, at most once. The reconciling pass (Reconcile in [Steps]) replaces a
// message that was lost, because the intent is also in the tables.
package storage
