// Package azure keeps tables and queues in Azure Table and Queue Storage, or in
// Azurite, its emulator.
//
// # The problem
//
// When the Azure SDK gets no answer, or a bad one, it sends the request again
// without telling its caller. But the first try may have taken effect. Then the
// answer to the second try is a conflict with the first: a row "exists" because this
// insert made it, "changed" because of this merge, or is "not found" because of
// this delete. A message may be queued twice. Or it may be invisible for a whole lease
// by a reply that was lost. This package cannot detect that and does not hide it.
// The operations of package storage carry identities and read again.
//
// The SDK does not count what the reply to a transaction confirms: a reply that was
// cut short passes for success, or makes the SDK panic. Nor does it miss a part of another
// reply: the page of a proxy is an empty list to it.
//
// # The model
//
// A [Client] implements driver.Backend. One call is one request,
// unless it is sent again. Every write of rows is an entity group transaction, even
// of a single row, so that all writes fail in one way. One function gives each error
// of the SDK its meaning (error.go). A transaction is done if the reply confirms all
// of its operations, and failed if the reply names the one that failed. After any
// other reply the outcome is unknown: domain.ErrUnavailable (batch.go). So it is after a reply
// that lacks what each answer to its call has (answer.go), and after a panic in the SDK, whose
// stack goes to the log.
//
// # What survives failure
//
// An acknowledged write is as durable as the service makes it. Azure writes it to
// three disks or more; Azurite writes it to its disk only after some seconds.
// An Azurite that keeps nothing on disk loses its tables and queues when it is
// restarted. A call that needs one then fails with domain.ErrMissing, and so does a call after
// an operator has deleted a table: a Client creates nothing unless it is told to. It holds nothing
// but connections.
package azure
