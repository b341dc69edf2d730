// Package fence implements the life cycle of a channel: how it is created, fenced off and
// deleted in a store without cross-table transactions.
//
// # The problem
//
// A channel's row is in one table, and its posts are in another. A user posts while a worker
// sweeps; a worker stalls, goes on after the name was taken again, and continues its sweep; a
// request takes effect long after its caller gave up. No post may be lost, none may outlive its
// channel, and no worker may touch the next channel of the name (I1 to I5 of package domain).
//
// # The model
//
// Each creation has a random incarnation. The gate is the fence of one incarnation: a row in the
// channel's Blogs partition, so that the store checks it in the same transaction as the write that
// depends on it. The transaction that inserts a post also merges the open gate
// ([Fence.TransactIfOpen]), and each transaction of a sweep also merges the shut gate
// ([Fence.Sweep]). If the gate is gone, the store rejects the whole transaction, so neither has to
// know whether it is late.
//
// The gate and the channel's row change in this order:
//
//	             gate of i                     channel's row
//
//	             absent                        absent
//	reserve         │                             │
//	             reserved                         │             the channel is put on its owner's list, and the owner's account is checked
//	open *          │                             │
//	              open                            │
//	insert          │                          active, of i
//	subscribe       │                             │             its owner, or only merges the gate; then the creation is acknowledged
//	                │                             │             posts of i
//	request         │                          pending          not readable; a post that was sent before
//	                │                             │             is accepted; an undo makes the row active
//	pivot           │                          deleting         nothing can be undone
//	shut *          │                             │
//	              shut                            │             rows of i are swept
//	remove-gate *   │                             │
//	              gone                            │
//	release                                    absent           the name is free
//
// The pivot also takes an active row: if the request died before it set the row to pending, if there
// is no time to undo, or if the owner's account is deleted. The transitions with * happen at most
// once, ever, whatever is sent again and however late it arrives:
//
//   - open deletes the reservation in the version that was read, and an ETag
//     never repeats (see below);
//   - shut deletes the open gate, which was created at most once;
//   - remove-gate deletes the shut gate, which was created at most once.
//
// There is a second gate, one level below. A post is the gate of its replies: a reply merges the open gate
// and the post (reply.go in package blog). The id of a post never returns, so that gate is never shut.
//
// This package does not know about messages, posts or subscriptions. A package that has to act
// when a channel is created, or before a row is removed, registers a function: package channel puts
// the channel on its owner's list ([Fence.OnReservation]), package reader subscribes the owner
// ([Fence.OnCreation]), and packages reader and blog remove what a sweep leaves in the partitions of
// users ([Fence.OnRemoval]).
//
// # What survives failure
//
// Any number of callers may repeat each step, at any time. Package deletion makes sure that a
// deletion which has begun takes all of them.
//
// The client library may send a request a second time, or the network may hold a copy of it back, and
// that delayed duplicate arrives after the caller has gone on. Of the transitions, only reserve and
// insert can then happen again. A delayed duplicate of reserve leaves a reservation that no process
// opens. One of insert leaves an active row without a gate, which accepts no post; a later creation, a
// release and, while the deletion is on the index, the reconciling pass delete it ([Fence.Reclaim]).
// Request, pivot, undo and release write the row in the version in which they read incarnation i, so
// their duplicates fail. A delayed duplicate of a post fails on its once! row, which each post has and
// which stays until the sweep; after that, on the gate.
//
// It is a premise that an ETag never repeats. Azure and Azurite make it from the time of the
// write, so two writes of one row in the same tick of the server's clock could have the same. The
// gate would open a second time only if all of this happened: the insert of a reservation takes
// effect; OpenGate deletes the reservation; a delayed duplicate of the insert takes effect in the
// same tick as the insert itself; and a delayed duplicate of OpenGate follows. A random revision in
// the row would not help, because the duplicate carries the same one. The ablation etag of package lab
// shows what such a repeat does.
//
// A creation that fails may leave a reservation or an open gate without a channel's row. Its creator
// deletes only the gate of an insert that was not acknowledged (resolveInsert). What else is left is
// deleted by a repair (strayGate in package check); and, if a user's list has the name, by the daily
// Prune, the deletion of that account, or that user when the list is full (withdrawCreations in package
// channel). A store that lost an open gate is damaged, and no operation creates that gate again.
package fence
