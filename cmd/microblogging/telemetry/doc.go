// Package telemetry counts what a process does, for Prometheus, and makes OpenTelemetry
// spans of it.
//
// # The problem
//
// An operator must see how many requests fail and how long they take, what the store
// answers, whether deletions complete, and whether anything waits for a person.
// An operator who asks why a page was slow, or a deletion that other processes carried out
// later, must find the work that belongs to a click. To measure must not slow down what is
// measured, must not load the store, and must not tell anybody who did what.
//
// # The model
//
// The roles offer hooks and know nothing of Prometheus or OpenTelemetry. A [Telemetry] is
// what is put into them: around each call of the store (store.go), each request (web.go),
// each delivery, step and reconciling pass (worker.go). Each hook counts, and makes a span
// if there are traces.
//
// No label holds a name, a path or a key: a request has the pattern of its route, a call its
// table or queue. So the number of series is bounded by the program, and not by its users. A
// span holds no more than a line of the log: no key of a row, no address of a client, no
// query of a URL, no text of an error.
//
// What waits is not an event that could be counted. It is read from the store when
// Prometheus asks (gauges.go), in bounded time, by a bounded number of reads of an index,
// and not more often than each 15 s, however many ask. Each process that has the listener
// reads the same values, so that a query takes their maximum.
//
// Standard variables such as OTEL_EXPORTER_OTLP_ENDPOINT decide whether there are traces and where
// they go (trace_settings.go). They go as JSON (otlp.go). A request begins a trace, and links to a
// span that it names. The message that asks for a deletion carries the identity of the request's
// span, and so does its Deletions row. One message can have many deliveries, days apart. So a
// delivery begins a trace of its own, and links to the request's span.
//
// # What survives failure
//
// The counters begin at 0 with each process; Prometheus expects that. If the store does not
// answer, what is read from it is left out, microblogging_store_up is 0, and all else is
// told. A failure here never fails what is measured. A span that cannot be sent is dropped:
// the queue for them is bounded, no request waits for it, and the log says so once in a while. A
// process that is killed takes the spans with it that it has not sent: its delivery is seen
// only in the number of the next.
package telemetry
