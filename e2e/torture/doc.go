// Command torture runs the real program under load, hurts its processes, and
// compares what is left with what its users were told.
//
// # The problem
//
// Package lab explores the schedules of the code: it decides what happens to
// each call to the store. It takes for granted that the drivers, the SDK,
// Azurite, the disk, the scheduler of the operating system and TCP behave as the
// lab's backend does. Only real processes can show that they do.
//
// # The model
//
// Two sites are served concurrently. One has web and worker processes on an Azurite
// that is never killed; each process has wires of its own to it ([wire]). The other has
// one process with both roles on the embedded store. Users ([user]) create
// channels under a few names that all of them want, post, reply, edit, vote, subscribe,
// close their channels and block each other there for a while, delete posts and channels,
// and create the same names again. Other users sign up, act, and delete their accounts. Meanwhile the
// [faults] kill processes with SIGKILL and start others whose clocks are wrong, freeze
// workers with SIGSTOP for longer than a lease, hold back what processes send, and cut
// their connections, some of them just before an answer passes. They let the disk of the
// embedded store hang, and end Azurite and start it again. A [relay] before the
// tables refuses all requests to one partition for a while, and cuts replies to
// transactions short. The wrong clock and the disk that hangs are compiled into the
// program ([overlay]), and are no part of the production code.
//
// Each user writes into the [history] when a request was sent, when it was
// answered, and what the answer said. A request without an answer, or answered
// with 503, may or may not have taken effect.
//
// An answer that contradicts the history is a violation. When the faults have
// ceased, the site is judged ([site.judge]): every accepted deletion must end.
// Every post, reply, edit, vote and subscription must be as it was acknowledged. No
// post or reply may have the name of an account that was deleted. No process may have
// panicked, raced, or ended unless the torture ended it. All processes must end
// cleanly, and the command check must find nothing. No deletion may be poisoned by
// faults that pass.
//
// # What survives failure
//
// Nothing: each run has a fresh store. A run that failed leaves the logs of its
// processes and says where they are. A run that is interrupted ends every process
// that it started; a run that is killed with SIGKILL cannot.
//
// # What a seed repeats
//
// The same seed makes the same decisions of users and of faults. The machine
// decides when they take effect, so a run cannot be repeated exactly.
package main
