// Package channel is the core protocol: how a channel comes, is fenced, and goes, in a store that has
// no transaction across tables.
//
// # The problem
//
// A channel's row is in one table and all that lies behind it in another. Somebody posts while a
// worker sweeps; a worker sleeps, wakes after the name was taken again, and sweeps on; a request
// takes effect long after its caller gave up. No post may be lost, none may outlive its channel,
// and no worker may touch the next channel of the name (I1 to I5 of package domain).
//
// # The model
//
// Each creation has a random incarnation. In the channel's partition stands the gate of that
// incarnation, a row (gate.go). Whatever must not outlive the channel is written behind the open
// gate: in one transaction with a merge of it ([Lifecycle.Behind]). A deletion marks the channel's
// row, takes it past the pivot (until then it can be undone), replaces the open gate by the shut
// one, sweeps behind that, disarms it, and releases the name (release.go, sweep.go). Each replacement happens once in all time. The gate's version is
// the version of the pages (package fresh).
//
// This room knows nothing of messages, posts or subscriptions. Who must do something at a
// creation or before a row is removed says so with [Lifecycle.OnCreation] and
// [Lifecycle.OnRemoval].
//
// # What survives failure
//
// Each step can be repeated, by anybody, in any number of copies, however late. What drives the
// steps to their end is package deletion.
package channel
