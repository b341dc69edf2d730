// Package move copies a whole store to another, of any backend.
//
// # The problem
//
// A store outgrows its backend. Its tables have no snapshot and no transaction across
// partitions, other processes write to it, and any request may take effect late. The copy
// must have every write that was acknowledged, must be killed at any point and go on, and
// must never be taken for whole before it is.
//
// # The model
//
// The source is frozen: a row of its table Moves says so, and every process of this program
// reads that row before it writes, at most [storage.LastWrite] before the answer. So a copy
// that waits this long after it froze the source misses no write that was acknowledged. What
// may still land is a request whose sender was told nothing, and it need not take effect.
//
// First all rows are copied in the order of their keys, in transactions of up to 100 rows of
// one partition, several at once. Then both stores are read side by side, and what differs is
// copied, until nothing does. This second look is what makes the first need no care:
//
//   - Each partition of the target is what that of the source was at one moment, whole
//     transactions only. The look that finds no difference began after that moment, since a
//     transaction that lands during a look shows in some row after it, or in none.
//   - What a killed copy has written counts if it is right, and is mended if it is not.
//   - A source that was thawed meanwhile and frozen again is no special case.
//
// Moments of different partitions differ only by requests that were never answered, as if
// their senders had died. That is a state from which the guarantees hold.
//
// The messages on the queues are received from the source, sent to the target, and given
// back. One that a worker holds is waited for. Workers receive nothing while the store is
// frozen. A message may reach the target twice, which changes nothing (I6). The message by
// which workers take turns is not copied; the target's make their own.
//
// The target says that it is unfinished until the end, and then no process serves it. It
// becomes whole by one transaction, if the source is frozen as it was at the beginning.
//
// # What survives failure
//
// Whoever runs the same copy again goes on with it, wherever it was killed: the target knows
// of which source it is a copy, and how far each table has come. A copy that was taken over
// notes nothing any more. A request of it that was under way when it was killed may land
// later. It can change no row that is there, because it inserts rows or names the version that
// it read. It could bring back a row that the target has deleted once it is in use; so every
// copy waits, before its end, for as long as the client of a store may take to send a request
// again. This rests on time, as the end of a killed process's requests does not show.
package move
