// Package toy has five small protocols, on at most four rows, in which a reader chooses the condition of one write.
//
// # The problem
//
// The fence of MicroBlogging is one condition on one row. A reader understands it after trying the other conditions that
// come to mind, and seeing each of them fail.
//
// # The model
//
// A [Level] is a protocol of package own that is written once for each [Clause]. [Level.Check] lets the model checker enter
// all of its states. A step is a call to the store, so an actor that has nothing to delete makes no step of that.
package toy
