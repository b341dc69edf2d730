// Package telemetry counts what a process does, for Prometheus.
//
// # The problem
//
// An operator must see how many requests fail and how long they take, what the store
// answers, whether deletions complete, and whether anything waits for a person.
// To measure must not slow down what is measured, must not load the store, and must not tell
// anybody who did what.
//
// # The model
//
// The roles offer hooks and know nothing of Prometheus. A [Telemetry] is what is put into
// them: around each call of the store (store.go), each request (web.go), each delivery, step
// and reconciling pass (worker.go).
//
// No label holds a name, a path or a key: a request has the pattern of its route, a call its
// table or queue. So the number of series is bounded by the program, and not by its users.
//
// What waits is not an event that could be counted. It is read from the store when
// Prometheus asks (gauges.go), in bounded time, by a bounded number of reads of an index,
// and not more often than each 15 s, however many ask. Each process that has the listener
// reads the same values, so that a query takes their maximum.
//
// # What survives failure
//
// The counters begin at 0 with each process; Prometheus expects that. If the store does not
// answer, what is read from it is left out, microblogging_store_up is 0, and all else is
// told. A failure here never fails what is measured. A delivery of a process that is killed is seen
// only in the number of the next.
package telemetry
