// Package induct proves the heart of MicroBlogging's protocols for any number of channels, posts,
// users, workers and delayed duplicates, with an SMT solver (z3).
//
// Each file *.model describes a protocol as a transition system: what the store holds, which steps
// there are, and invariants, each with a sentence. A step is one transaction of the store, or what a
// process sends after it has read something. A request that was sent may take effect at any later
// time, any number of times.
//
// [Model.Check] proves that the invariants are inductive: they are true at the start, and each step
// that begins while they are true ends while they are true. Then they are true in every state that
// can be reached, however many steps it takes. [Model.Without] does so for a model without one of its
// safeguards, and must find a step after which an invariant may be false.
//
// The models were written by hand, and nothing compares their steps with the code's. Package lab runs the
// code itself, within bounds, and looks for the same violations. The two share the names of the
// safeguards, and each step names a function of the code; tests hold that these names exist.
//
// # The language
//
//	(sort NAME...)                                  things of which there are any number
//	(function NAME (SORT...) SORT "sentence")       does not change
//	(constant NAME SORT "sentence")
//	(order NAME SORT)                               a strict total order
//	(relation NAME (SORT...) "sentence")            a set of tuples, empty at the start
//	(goal NAME "sentence" VARIABLES FORMULA)        an invariant that the protocol is for
//	(invariant NAME "sentence" VARIABLES FORMULA)   an invariant that says why it holds
//	(step NAME FUNCTION "sentence" VARIABLES PART...)
//
// The parts of a step are (if FORMULA...), (then EFFECT...) and (never NAME FORMULA), which must be
// false whenever the step is taken. A formula of an if may be (safeguard NAME FORMULA). An effect is
// (add RELATION VALUE...) or (remove RELATION VALUE...), where the value _ means any. Formulas
// are SMT-LIB.
package induct
