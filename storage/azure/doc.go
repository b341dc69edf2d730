// Package azure keeps tables and queues in Azure Table and Queue Storage, or in
// Azurite, its emulator.
//
// # The problem
//
// The Azure SDK sends a request again by itself when it has no answer, or a bad
// one. A request may therefore have taken effect although its answer was lost,
// and then the answer to the second try speaks of the first one's effect: a row
// "exists" because this very insert made it, has "changed" because of this very
// merge, or is "not found" because of this very delete. A message may be queued
// twice, or be hidden for a whole lease by a reply that nobody received. Nothing
// here hides that, for nothing here could: the operations of package storage
// carry identities and read again.
//
// # The model
//
// A [Client] is both drivers. One call of a driver is one request, unless it is
// sent again; pages are not gathered and transactions not split. Every write of
// rows is an entity group transaction, also that of a single row, so that there
// is one way for it to fail. All that the SDK can answer is given its meaning in
// one place, errors.go.
//
// # What survives failure
//
// A write that was acknowledged is as durable as the service makes it: in Azure
// on three disks or more, in Azurite not at all for some seconds. A table or a
// queue that has disappeared, which is what a restarted Azurite without a
// directory looks like, is created again by the next call that needs it (a ping
// only says that it is missing). A Client itself holds nothing but connections.
package azure
