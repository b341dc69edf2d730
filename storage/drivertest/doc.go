// Package drivertest is the storage contract as code: what the comments of
// driver.Tables and driver.Queues promise, every backend must pass.
//
// The problem it answers is that two backends drift apart where nobody looks:
// a key that one of them escapes, an ETag that returns after a row was deleted
// and created again, a guard that is quietly created because it was missing.
// Each test is a sentence that can be false, and goes through the concrete
// driver.Table and driver.Queue unless the point is the driver itself.
//
// Tables and Queues take a constructor. Every test uses a table or queue that
// it names itself, so that all of them may share one backend and run at once.
//
// Faults wraps either driver and makes calls fail before or after they took
// effect, be sent twice, or be sent again much later: what a network and an SDK
// that retries by itself do to every caller sooner or later.
package drivertest
