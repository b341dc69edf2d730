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
// Each creation has a random incarnation. The gate of that incarnation is a row in the channel's
// partition (gate.go). A row that must not outlive the channel is written behind the open gate,
// that is, in one transaction with a merge of the gate ([Fence.TransactIfOpen]). A deletion sets
// the channel's row pending, takes it past the pivot (until then it can be undone), replaces the
// open gate with the shut one, sweeps the rows behind it, removes the shut gate, and releases the name
// (release.go, sweep.go). Each replacement of a gate happens at most once. The versions of
// the gate and of the channel's row are the version of its pages (package channel).
//
// This package does not know about messages, posts or subscriptions. A package that has to act
// when a channel is created, or before a row is removed, registers a function with
// [Fence.OnReservation], [Fence.OnCreation] or [Fence.OnRemoval].
//
// # What survives failure
//
// Any number of callers may repeat each step, at any time. Package deletion makes sure that a
// deletion which has begun takes all of them.
package fence
