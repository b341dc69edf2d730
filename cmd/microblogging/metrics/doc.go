// Package metrics counts what a process does, for Prometheus.
//
// # The problem
//
// An operator must see how many requests fail and how long they take, what the store
// answers, whether deletions come to their end, and whether anything waits for a person.
// To measure must not slow down what is measured, must not load the store, and must not
// tell anybody who did what.
//
// # The model
//
// [Metrics] observes the calls of the store, the requests, the deliveries, the tries of
// the Azure SDK and the commits of the embedded store, and adds each to counters and
// histograms. No label holds a name, a path or a key: a request has the pattern of its
// route, a call its table or queue. So the number of series is bounded by the program, and
// not by its users.
//
// What waits is not an event that somebody could count. It is read from the store when
// Prometheus asks (gauges.go), in bounded time, by a bounded number of reads of an index,
// and not more often than each 15 s, however many ask. Each process that has the listener
// reads the same values, so that a query takes their maximum.
//
// # What survives failure
//
// The counters begin at 0 with each process; Prometheus expects that. If the store does not
// answer, what is read from it is left out of the answer, microblogging_store_up is 0, and
// all else is told. A failure here never fails what is measured.
package metrics
