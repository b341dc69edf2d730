// Package storage is every operation of MicroBlogging on its tables and queues,
// written once for all backends.
//
// # The problem
//
// A channel's rows lie in several partitions and tables, and no transaction
// spans them. A process may die between two writes, a request may take effect
// long after its caller gave up, and a queue may deliver a message twice. The
// invariants I1 to I11 of package domain must hold all the same.
//
// # The model
//
// A [Store] runs on any backend that keeps the contract of package driver. Three
// ideas carry all of its operations:
//
//   - The gate (package channel). Whatever must not outlive a channel is in one
//     partition. Whatever changes what a channel's pages show depends there on a
//     gate row, which the store checks in the same transaction; so does a sweep.
//     The gate's version is the version of the pages.
//   - Identities. An operation writes a random identity of its own: an
//     incarnation, a post's id or a revision. It looks for that identity again
//     when an answer was lost. "Exists" or "conflict" is never an answer; it is a
//     reason to read.
//   - The order of writes. Where an operation writes several times, its comment
//     says what a reader would find if the process died there, and who repairs
//     it. The repair always belongs to something that runs anyway.
//
// Each subject has a room, and a [Store] is all of them:
//
//	schema     every kind of row, once; it alone makes keys
//	channel    the core protocol: create, gate, mark, shut, sweep, disarm, release
//	deletion   the intent to delete: message, record, index, reconciling pass, poison
//	blog       posts, votes and ratings
//	reader     subscriptions, feed and digest
//	fresh      pages that a process keeps, shown only while they are right
//	directory  the lists of channels
//	account    users, sessions and what keeps strangers from guessing passwords
//	check      the invariants held against the rows, and repair
//	move       one store into another
//
// Channel knows none of the rooms that use it. Below them are page (cursors), optimistic (one row
// in the version that was read), flight (calls at once), walk (two tables side by side) and driver
// (the contract of a backend).
//
// # What survives failure
//
// What an operation acknowledged. What it did not acknowledge may have happened
// or may still happen, at most once. A message that was lost is replaced by the
// reconciling pass ([Store.Reconcile]), which finds its intent in the tables.
package storage
