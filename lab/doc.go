// Package lab explores schedules and crashes of the real code.
//
// # The problem
//
// The program claims that no interleaving of requests, workers, crashes, lost
// replies and re-sent requests breaks an invariant of package domain. A claim
// like that wants a machine that looks for the counterexample, in the code that
// ships and not in a model of it.
//
// # The model
//
// A [Scenario] has actors: requests of clients, and workers with one message
// each. An actor runs real code, the operations of package storage and the
// handling of package worker, over a driver whose every call waits at a
// turnstile. A scheduler decides who goes next and what befalls the call (a
// [Fate]): it takes effect; the actor dies before it, or after it; it never
// arrives; its reply is lost; the SDK sends it again, and it arrives again now or
// after others have gone on. The queue delivers any message that exists to anyone
// at any time, which covers every lease that runs out. Time does not pass. A run
// is a list of choices (a [Schedule]) and can be taken again.
//
// What an actor's code does next depends on nothing but the answers that it got.
// So the state of the whole system is the content of the store, the answers that
// each actor got, the requests under way, and the faults left. Random tokens are
// named by who minted them and in which order, so that the same state looks the
// same whichever way it was reached; each is entered once. The code of an actor
// runs once for each history of answers, in a goroutine of its own, and must do
// the same each time, which is checked.
//
// [Explorer.Explore] enters all states of a small scenario, the nearest first, so
// that what it finds is as short as can be. [Explorer.Walk] takes random runs of
// a large one, and shrinks what it finds.
//
// # The laws
//
// In every state, what a client was told is so ([Shipped]). When nobody acts any
// more, fresh workers carry on until nothing moves; then every invariant must
// hold over the whole store, in the eyes of the program's own checker and in
// plain words, and each message that ever was must change nothing if it is
// delivered again.
//
// An explorer that finds nothing may be blind. So package textbook is the naive
// version, in which it must find each anomaly, and [Ablations] take one guard at
// a time out of what ships, which it must notice.
//
// # What it does not cover
//
// Real time, more than one call of one actor at once, pages of more rows than a
// transaction holds (package storage tests those), and the bounds that each
// scenario states: actors, faults, preemptions.
package lab
