// Package load puts a store under load and measures it, as Azure's guide to designing
// partitions advises: fill one partition, or spread the same posts over several, and then
// simulate the peak.
//
// # The problem
//
// A channel is as fast as its partition, and nobody knows how fast that is on their own
// account or disk before they have tried. A test with requests of its own would measure
// something else than the site. A test that waits for each answer before it sends the
// next request is slowed down together with the store, and hides how long people would
// have waited (coordinated omission). And a test must leave the site's data alone.
//
// # The model
//
// A [Plan] says what to do. [Run] does it on a store that is the load's own: it fills
// channels and then lets workers make the operations of a [Mix]. They call package storage,
// as the roles do, so each request costs what it costs the site.
//
// In a closed loop, each worker begins an operation when its last one has ended. In an
// open loop, operations are due at a fixed rate whether or not the store keeps up, and the
// latency of one counts from the moment at which it was due.
//
// Each call of the store counts the rows that were read and written for its operation, because
// Azure's targets are about entities and not about requests. The code that opens the backend
// reports the tries of its client that were [Throttled].
//
// # What survives failure
//
// Nothing should. Run ends when its context does, and returns what it has measured so far;
// then whoever opened the store removes it. A load that was killed leaves its store behind.
package load
