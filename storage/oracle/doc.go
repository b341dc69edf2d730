// Package oracle reads the tables of a store while the system is idle, and reports each row that
// breaks an invariant.
//
// # The problem
//
// The tests of the operations and of the worker and the model checker of package lab
// all end with the same question: do the invariants of package domain hold? The
// program has a checker of its own (check.Checker), but that one shares its
// keys and its decoding with the code that it judges, and would share a mistake.
//
// # The model
//
// The system is idle if no request is in flight and no message is on the queue.
// Then an invariant can be put into plain words about rows, and [Violations] does
// that: it reads whole tables and compares row with row. It has its own literals
// for tables, keys and properties, and imports nothing of package storage. It is
// for tests: it holds all rows in memory, repairs nothing, and on a store in use
// it reports what is merely unfinished.
//
// It reads what rows can show:
//
//   - I1 no orphan;
//   - I5 it ends, as far as the deletions are recorded;
//   - I8 indexes agree, with the subscriptions of a channel and the lists of users;
//   - I9 gates;
//   - I11, that one row says who may post;
//   - I12, that nothing is left of a user whose account is gone.
//
// I2, I3, I4, I6 and I7 are about what happened before, or about what users were
// told. Only a package that recorded it can compare it with the store: package lab does.
//
// A subscription of a user that its channel does not count is no violation here. A
// crash can leave one, and it goes when the user's list is read.
package oracle
