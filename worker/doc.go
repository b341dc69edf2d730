// Package worker handles the messages of the queue DeleteChannelAndBlogs, which Azure calls
// delete-channel-and-blogs: it removes what they ask for.
//
// # The problem
//
// The queue delivers a message at least once, to any worker, and again when its
// lease (visibility timeout) runs out. A process may be killed between any two
// calls, may stall for longer than its lease, and may be told to stop in the
// middle of its work. The rows that it removes lie in several tables, and no
// transaction spans them.
//
// # The model
//
// The loop is apart from the work.
//
//   - The loop ([Worker.Run]) leases a message, renews the lease while the work
//     goes on, and concludes the message by the outcome of the work: done,
//     retry, wait, permanent failure, panic, shutdown or lease lost. Done deletes
//     the message. A permanent failure, or too many retries, poisons it: it is
//     recorded, and then deleted.
//   - The work on a channel is the cascade: a list of idempotent steps. The
//     message only triggers it. Each step finds out from the rows what is left to
//     do, so any number of workers may run the cascade concurrently.
//
// A worker that loses its lease stops its work, which only saves effort. The fence
// makes the deletion safe (package domain): the store checks the shut gate with every
// transaction of the sweep, so a worker that does not notice the loss can do no harm.
//
// # What survives failure
//
// Every accepted deletion.
//
//   - A worker is killed: the lease runs out, and another worker starts the list
//     of steps again.
//   - A message is lost, or was never sent: the reconciling pass
//     (Reconcile in storage.Steps) sends a new one for each open deletion that makes no
//     progress. Each worker runs it from time to time, unless its clock is ahead of the store's.
//   - The store does not answer: the worker waits until it does.
//   - A message fails too often and makes no progress: a row of its own keeps it until
//     an operator requeues it, and the record of the deletion says that it is poisoned.
package worker
