// Package mem is a backend in memory whose content is a value.
//
// The problem: an explorer of schedules goes back to a state that it left a
// moment ago, some hundred thousand times, and asks of each state whether it has
// been there before. So a [Snapshot] never changes. A write returns another one
// that shares with it all that was not written, and each carries a [Sum] of its
// content, kept up to date write by write.
//
// [DB] puts a Snapshot behind driver.Tables and driver.Queues. It
// passes the conformance suite of package drivertest, which is what makes the
// explorer's findings mean anything for the other backends. Nothing survives the
// process.
package mem
