// Package deletion implements the intent to delete, which makes sure that an accepted deletion
// completes although processes die.
//
// # The model
//
// A deletion is a message on the queue, a record in Deletions, a row on the list of the user who
// asked (list.go), and a row on the index of open deletions (open.go). They are written in an order
// in which no crash loses the intent (ask.go). The reconciling pass (reconcile.go) reads the index,
// and replaces a message that was lost. A message that fails too often waits in its record for an
// operator (poison.go).
//
// The steps themselves are in package fence. A worker reads from the channel's rows what is left to
// do. The record is for the user, for Undo, for the reconciling pass and for operators.
//
// # What survives failure
//
// All of it. A record may be behind the channel's rows, which are authoritative.
package deletion
