// Package traces makes OpenTelemetry spans of what the roles do, and sends them to a
// collector.
//
// # The problem
//
// A page asks the store a dozen times, and a deletion is accepted by one process and
// carried out by others, later and perhaps several times over. Somebody who asks why it
// was slow must see each call with its time, and find the work that belongs to a click.
//
// # The model
//
// The standard variables OTEL_* decide whether there are traces, what is sampled and where
// the spans go (collector.go). The roles know no OpenTelemetry. They offer hooks, and a
// [Traces] is what is put into them:
//
//   - around the web role: a span for each request, with the name of its route (handler.go);
//   - driver.Around: a span for each call of a table or a queue (store.go);
//   - the SDK of Azure: a span for each of its methods and for each try over HTTP (azure.go);
//   - worker.Observer: a span for each delivery, step and reconciling pass (worker.go).
//
// The message that asks for a deletion carries the identity of the request's span, and so
// does its Deletions row. One message can have many deliveries, days apart. So a delivery
// begins a trace of its own, and links to the request's span.
//
// A span holds no more than a line of the log: no key of a row, no address of a client, no
// query of a URL, no text of an error.
//
// # What survives failure
//
// Nothing depends on a span. A span that cannot be sent is dropped: the queue for them is
// bounded, nobody waits for it, and the log says so once in a while (failures.go). A
// process that is killed takes the spans with it that it has not sent: its delivery is seen
// only in the number of the next.
package traces
