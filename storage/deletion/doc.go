// Package deletion implements the intent to delete, which makes sure that an accepted deletion
// completes although processes die.
//
// # The model
//
// A deletion is a message on the queue, a record in Deletions, a row on the list of the user who
// asked (list.go), and a row on the index of open deletions (open.go). The deletion of a channel makes
// these writes, in this order:
//
//	request  Users          insert requested! on the list of the user who asked
//	request  Deletions      renew the index row
//	request  queue          send the message, invisible until the work is due
//	request  Deletions      insert the record
//	request  Channels       set the row pending; deleting, if there is no time to undo
//	worker   Deletions      set the record running; if the request died, first insert it, or replace that of an earlier one
//	worker   Channels       pivot: set the row deleting; renew the index row first if the row is active
//	worker   Blogs          replace the open gate with the shut one
//	worker   other tables   delete the rows of users that lead to the next rows of the channel
//	worker   Blogs          delete those rows; repeat both until a whole pass finds none
//	worker   Deletions      meanwhile, from time to time: record how many rows are gone
//	worker   Blogs          delete the shut gate
//	worker   Channels       delete the row
//	worker   Deletions      set the record done
//	worker   queue          delete the message
//	pass     Deletions      delete the index row
//	pass     Deletions      90 days later: delete the record
//	pass     Users          delete what leads nowhere from users' lists: the requested! row, and what the sweep has missed
//
// A process may die after any of them. Before the message, nothing has happened to the channel. After
// it, a worker that receives the message makes the writes that are missing. If the message is lost, the
// reconciling pass sends another once the record is there (reconcile.go). If no process has written the
// record within an hour, a pass gives the request up (open.go): no client was told that it was accepted. A
// message that fails too often waits in a row of its own for an operator (poison.go).
//
// The pivot is in pivot.go, the steps after it are in package fence. A worker reads from the channel's rows
// what is left to do. The record is for the user, for Undo, for the reconciling pass and for operators. Three
// things decide what a worker does: whether there is a record or a channel at all, whether its message is of
// the request that counts (Request), and whether messages of the deletion were delivered too often without
// progress (checkDeliveries in package worker).
//
// # What survives failure
//
// All of it, until a pass removes it (prune.go). A record may be behind the channel's rows, which are
// authoritative.
package deletion
