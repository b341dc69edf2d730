// Package bolt keeps tables and queues in one file of an embedded store
// (go.etcd.io/bbolt), so that MicroBlogging runs where nothing is installed.
//
// # The problem
//
// A disk acknowledges a write only after a sync, which takes about as long for
// one transaction as for fifty. Callers must not be told that a write is done
// before it is, nor wait for each other's syncs in turn.
//
// # The model
//
// The file holds one bucket for each table and each queue. A row's key is its
// partition key, a zero byte and its row key, so that byte order is the order
// of the contract and a range is one seek, however many rows there are.
//
// A single goroutine writes. It takes what waits, checks each transaction
// against the state as the ones before it left it, applies it only if every
// operation of it can be applied, and commits and syncs once for all of them.
// So a transaction that fails, fails alone, and costs no sync. Readers never
// wait for it: a page is read from one snapshot.
//
// # What survives
//
// A write that was acknowledged survives the death of the process and the loss
// of power. One that was not may be there or not, but never in part; a read may
// see it in the instant before it is safe from a loss of power.
//
// If a commit fails, all that share it answer domain.ErrUnavailable. If it fails
// after its last page was handed to the disk, nobody can know whether the disk
// has it, and building on it could destroy what was acknowledged before; so all
// later writes are refused until the store is opened again.
//
// One process at a time has the file; the operating system's lock goes with it.
package bolt
