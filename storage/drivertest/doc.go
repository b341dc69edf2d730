// Package drivertest is the contract of package driver as tests that every backend
// must pass, and a way to make a backend fail.
//
// # The problem
//
// Backends drift apart where no test compares them: one of them escapes a key, gives a row
// that was created again an ETag that it had before, or creates a condition row that
// is missing. And code that works while every call succeeds says nothing about a
// network that loses answers.
//
// # The model
//
// [Tables] and [Queues] run the conformance suite on a backend. A test is a
// sentence that can be false: "ETag changes with every write and never repeats".
// It goes through a driver.Table or driver.Queue, unless it is about the backend
// alone. Each test names its own table or queue, so all of them can share one
// backend and run in parallel.
//
// [Faults] passes calls to a backend. A [Hook] makes calls fail before or after
// they took effect, or sends them twice. A network,
// and a client that retries without being asked, do all of this sooner or later.
//
// # What survives failure
//
// Faults keeps nothing but its count of calls. After an injected fault the backend
// holds exactly what the hook sent to it.
package drivertest
