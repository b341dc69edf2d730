// Package deletion is the intent to delete: what makes sure that a deletion that was accepted
// comes to its end, whatever dies.
//
// # The model
//
// A deletion is a message on the queue, a record in Deletions that people and operators read, a row
// on the list of whoever asked (list.go), and a row on the index of open deletions (open.go). They
// are written in an order in which no crash loses the intent (ask.go). A message that was lost is
// replaced by the reconciling pass (reconcile.go), which reads the index. A message that fails too
// often waits in its record for an operator (poison.go).
//
// The steps themselves are in package channel, and no step depends on what is recorded here.
//
// # What survives failure
//
// All of it. A record can be older than the truth; the channel's rows are the truth.
package deletion
