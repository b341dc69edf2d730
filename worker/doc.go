// Package worker consumes the queue DeleteChannelAndBlogs and removes what its
// messages ask for.
//
// # The problem
//
// A message is delivered at least once, to anyone, and again when its lease
// (visibility timeout) runs out. The process may be killed between any two
// calls, may stall for longer than its lease, and may be told to stop in the
// middle. What it works on lives in several tables without a common
// transaction.
//
// # The model
//
// The loop ([Worker.Run]) is apart from the work. The loop leases a message,
// keeps the lease while the work goes on, and settles it by one of five
// outcomes: done, retry, permanent failure, panic, shutdown. The work on a
// channel is the cascade: a list of idempotent steps. A message is only a hint;
// the truth is in the rows, and each step finds out from them what is left to do.
//
// A lost lease cancels the work. That is a courtesy, not the safety: a worker
// that misses it is made harmless by the fence (package domain), which the store
// checks with every transaction of the sweep.
//
// # What survives failure
//
// Killed at any instant: the lease runs out and somebody else starts the list
// again. A message that was lost or never sent: the reconciling pass of the channels
// queues what is marked and shows no sign of life. A message that fails again
// and again without getting further: the poison queue, visibly, until an
// operator requeues it.
package worker
