// Package move copies a whole store to another, of any backend, also if the store is of an earlier version.
//
// # The problem
//
// A store outgrows its backend. Its tables have no snapshot and no transaction across
// partitions. The copy must be killed at any point and go on, and must say so if it is not
// what the source is.
//
// # The model
//
// The roles of both stores are stopped: the operator sees to that. Then the rows are all there
// is, and the copy keeps no note of how far it came. It walks both stores side by side, in the
// order of their keys, up to three times:
//
//   - If the target has rows, each must be a row of the source: then it is an unfinished copy
//     of it. Otherwise the copy is refused, and nothing was changed. A copy that has ended is a store
//     that may be in use: it is only compared, and a copy to one that differs is refused.
//   - Rows that the target lacks are inserted, up to 100 of one partition in a transaction.
//   - Both stores are compared. A difference means that a process wrote meanwhile: the
//     copy fails, and names the side that changed.
//
// The target has the version "unfinished copy" from before its first row until it was compared. So every role
// and command refuses it, and so does a copy of which it is the source.
//
// A source of an earlier version is read as the rows that the present version has in their place (migrate.go).
// One row that the earlier version does not have, and the copy is refused. All rows are read for that before
// the first is written. The messages are copied as they are: those about channels and accounts could be sent
// again, because the rows say what is pending, but those about posts are the only trace of a deletion.
//
// The messages on the queue are received from the source and sent to the target. The source shows
// them again two minutes later. One whose worker was killed is invisible until its lease ends, and a delayed one
// until its time: the copy waits for it, for as long as it takes. A copy that goes on sends all messages again. So one may
// reach the target several times, which changes nothing (I6).
//
// # What survives failure
//
// A copy that was killed has written whole rows and messages of the source, and nothing else. The
// next copy between the same stores inserts the rows that are missing, and sends each message.
package move
