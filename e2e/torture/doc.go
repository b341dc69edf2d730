// Command torture runs the real program as real processes under load, hurts
// them, and holds what is left against what their clients were told.
//
// # The problem
//
// Package lab explores the schedules of the code by reason: it decides what
// happens to each call. What it takes for granted (that the drivers, the SDK,
// Azurite, the disk, the scheduler of the operating system and TCP do as its
// backend does) only real processes can show.
//
// # The model
//
// Two sites are served at once: web and worker processes over an Azurite that
// stays up, each behind wires of its own ([wire]), and one process with both
// roles on the embedded store. Users ([user]) create channels under a few names
// that all of them want, post, edit, vote, subscribe, delete posts and channels,
// and create the same names again. Meanwhile processes are killed with SIGKILL
// and started again, workers are stopped with SIGSTOP for longer than their lease
// and woken, and connections are cut, some of them just when an answer is on its
// way ([faults]).
//
// Each user writes into the [ledger] when a request was sent, when it was
// answered, and what it was told. An answer that never came, or a 503, leaves
// both possibilities open. Whatever contradicts the ledger is a violation, at
// once or in the end ([verdict]): when the faults have ceased, every deletion
// that was accepted must end, every post, edit, vote and subscription must stand
// as it was acknowledged, no process may have panicked, raced or ended by itself,
// all must end cleanly, and check must find nothing.
//
// # What a seed repeats
//
// The same seed makes the same decisions, of users as of faults. When they take
// effect is up to the machine, so that a run cannot be repeated exactly.
//
// Interrupted, it ends all that it started; killed with SIGKILL, it cannot.
package main
