// Package driver is the contract between MicroBlogging and a store.
//
// # The problem
//
// The program runs on an embedded store, on Azurite and on Azure Table and
// Queue Storage. These three accept different keys, different sizes and
// different conditions, and they report one failure in different ways. What
// works on a laptop must work in Azure.
//
// # The model
//
// The contract is written from the weakest of the three, and nothing may rely
// on more. Two layers share the work:
//
//   - A [Backend] makes a [Call], which is a value. It has no rule of its own, so that no rule
//     can differ between backends.
//   - A [Table] or a [Queue] is in front of a backend. The operations call only these. They
//     refuse whatever Azure would refuse, before any request is sent.
//
// A table holds an [Entity] for each pair of partition key and row key. There
// are three reads: one row, a [Range] of one partition, and a [Scan] of
// partitions. There is one write: an entity group transaction, which is 1 to
// 100 [Operation] values on distinct rows of one partition. There is no other
// query, because Azure has none that stays fast as a table grows.
//
// On these, a [List] reads a list page by page for users, who hold its cursors, and [SideBySide]
// compares two tables.
//
// Whatever watches or disturbs calls is an [Around]: [Wrap] puts it around a backend.
// What a backend is good at is a value, its [Capabilities], which passes through.
//
// The conformance suite for all of this is package drivertest.
//
// # What survives failure
//
// An acknowledged write survives whatever the backend promises to survive. A
// transaction is applied whole or not at all. Everything else is uncertain: a
// call that failed may have taken effect, and the backend's client may send a
// request a second time without telling its caller. So domain.ErrExists,
// ErrConflict and ErrNotFound can each be a self-conflict with the caller's earlier
// request. The operations of package storage read again to find out; a driver
// must not guess.
package driver
