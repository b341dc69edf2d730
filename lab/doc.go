// Package lab is an explicit-state model checker that runs the production code.
//
// # The problem
//
// The program claims that no interleaving of requests, workers, crashes, lost
// responses and re-sent requests breaks an invariant of package domain. Such a claim
// needs a tool that searches for a counterexample. The tool must search the production
// code, because a model of the code can be right where the code is not.
//
// # The model
//
// A [Scenario] has actors: requests of clients, and workers that handle one
// message each. An actor runs real code, the operations of package storage and the
// handling of package worker. Each call to the store waits at a turnstile. A
// scheduler decides whose call is next and what happens to it (its [Fate]): it
// takes effect; the actor dies before it or after it; it never arrives; its reply
// is lost; the SDK sends it again, and the second copy arrives now or later. The
// queue delivers any message to any worker at any time, which covers each lease
// that runs out. A run is a list of choices (a [Schedule]) and can be replayed.
//
// Time does not pass, unless the scenario has [Time]s: moments to which the network goes on
// when the scheduler decides so. Each actor's clock may differ from the true time, and may be
// set from one moment to the next. A message that was sent with a delay is not delivered
// before the delay is over; one that was received may be delivered at any time.
//
// The next call of an actor depends only on the answers that it got. So the state
// of the system is the content of the store, the answers that each actor got, the
// requests under way, what the invariants remember of the past ([History]), and the
// faults and preemptions that are left. Each state is entered once. A goroutine
// cannot be copied, so an actor is led back to a state by running its code again
// with the same answers. The code must then make the same call, which is checked.
//
// [Explorer.Explore] enters all states of a small scenario breadth first, so its
// counterexample is one of the shortest. [Explorer.Walk] takes random runs of a
// large scenario and shrinks what it finds. [Explorer.Follow] is for people: it takes one
// schedule and says at each [Moment] which actor is about to make which call in which line of Go,
// what can happen to the call, and which invariants hold. A comment above that line says what the call is
// for ([Site]).
//
// Why a run violates an invariant is found by search, too. [Explorer.Reach] enters all states and goes back from the
// ends: a run violates an invariant because of the first step after which every way on does. [Explorer.Twin] is the
// run next to it in which all invariants hold, because one call comes before a step of another actor, or one fault
// does not happen.
//
// # The invariants
//
// In every state, what a client was told is true ([Invariants]). A page that a process has
// kept and shows again is held against what was acknowledged, to anybody, before its reader
// asked for it ([History]). When no actor can go
// on, fresh workers run until nothing moves. Then every invariant must hold over
// the whole store, both for the program's own checker and for the plain reading of
// package oracle, and each message that was ever sent must change nothing when it
// is delivered again.
//
// A model checker that finds nothing may be blind. So it must find each anomaly in
// package textbook, which is the naive version, and it must find a violation for each
// safeguard that is removed from the production code ([Safeguard]). Package protocol has the scenarios, the
// invariants and the safeguards of that code.
//
// # Our words and the field's
//
//   - Schedule: a trace; a [Finding] has the counterexample. A state is matched
//     against the states entered before, as in SPIN and CMC [1] [2]. The local
//     state of an actor is restored by re-execution, as in VeriSoft [3]. There is no
//     partial-order reduction: all interleavings are taken that lead to new states.
//   - Sum: hash compaction [4] [5]. Of an entered state only a hash of 128 bits is
//     kept; a collision would hide a state. It is not SPIN's bitstate hashing, which
//     keeps a few bits. A hash of the store is a sum over rows and messages, so a
//     write changes it at the cost of the rows written.
//   - Names: symmetry reduction by canonical names [6] [7]. A random token is renamed
//     by the actor that minted it and by the order in which that actor sent it, so
//     that states which differ only in their tokens are one. Of equal actors
//     (Actor.After) only the order of their starts is reduced.
//   - Preemptions: context bounding, as in CHESS [8]. Only switches away from an
//     actor that can go on count, and what the network does is free. The bound is
//     fixed for a scenario; it is not raised step by step.
//   - Faults: a fault budget, the most faults of one run.
//   - Idle: quiescence. Each actor has ended, has died or waits for a message
//     that is not there, and no request is under way, whatever faults are left. I5, a
//     liveness property, is checked there as a safety property: fresh workers must
//     finish within a bound.
//   - Walk: a random walk by priorities, like PCT [9]: the first actor in a random
//     order acts. PCT fixes the number of priority changes beforehand, and its
//     guarantee depends on that. A walk draws at each step, so it has no guarantee.
//   - Shrink: delta debugging [10]. Only the reduction to complements is done. At the
//     end of a shrunk schedule the actors that still wait go on without faults.
//   - Ablation: mutation testing [11] of safeguards. A mutant is made by changing what
//     an actor sends or is answered (driver.Around), not by changing the code. It is
//     killed if any invariant is violated.
//
// # Sources
//
//   - [1] Holzmann, "The model checker SPIN", IEEE Transactions on Software
//     Engineering 23(5), 1997
//   - [2] Musuvathi, Park, Chou, Engler, Dill, "CMC: A pragmatic approach to model
//     checking real code", OSDI 2002
//   - [3] Godefroid, "Model checking for programming languages using VeriSoft",
//     POPL 1997
//   - [4] Wolper, Leroy, "Reliable hashing without collision detection", CAV 1993
//   - [5] Stern, Dill, "Improved probabilistic verification by hash compaction",
//     CHARME 1995
//   - [6] Ip, Dill, "Better verification through symmetry", Formal Methods in System
//     Design 9(1/2), 1996
//   - [7] Clarke, Enders, Filkorn, Jha, "Exploiting symmetry in temporal logic model
//     checking", Formal Methods in System Design 9(1/2), 1996
//   - [8] Musuvathi, Qadeer, "Iterative context bounding for systematic testing of
//     multithreaded programs", PLDI 2007
//   - [9] Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with
//     probabilistic guarantees of finding bugs", ASPLOS 2010
//   - [10] Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input",
//     IEEE Transactions on Software Engineering 28(2), 2002
//   - [11] DeMillo, Lipton, Sayward, "Hints on test data selection: help for the
//     practicing programmer", IEEE Computer 11(4), 1978
//
// # What it does not cover
//
// Repeated ETags: each write here makes a new one, while Azure and Azurite make them
// from the time of the write. ARCHITECTURE.md ("What it depends on") says what a repeat needs,
// and the etag ablation shows what it does. Further: real time, two concurrent calls of one
// actor, pages of more rows than a transaction holds (package storage tests those),
// and whatever lies outside the bounds that each scenario states: actors, faults,
// preemptions.
package lab
