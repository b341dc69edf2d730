// Package mem is a backend in memory whose content is a value.
//
// # The problem
//
// The model checker (package lab) goes back to a state that it has just left, some
// hundred thousand times. And it asks of each state whether it has been there
// before. Both must be cheap.
//
// # The model
//
// A [Snapshot] is the whole content and never changes. A write returns another
// Snapshot, which shares all that was not written. Each carries a [Sum] of its
// content, which every write updates, so that comparing two states is comparing
// two numbers.
//
// [DB] puts a Snapshot behind driver.Backend. It passes the
// conformance suite of package drivertest, so what the model checker finds on it means
// something for the other backends.
//
// # What survives failure
//
// A crash in the model checker is an event of a scenario, and loses nothing that a
// Snapshot holds. Nothing survives the process.
package mem
