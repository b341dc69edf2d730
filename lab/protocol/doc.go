// Package protocol is what the model checker of package lab tries on the production code.
//
// # The problem
//
// The claim that no schedule breaks an invariant is worth what was tried: who acts, what may go
// wrong, what must hold, and whether the model checker would notice.
//
// # The model
//
// There is one file for each subject (subjects lists them): posts, votes, the index of open
// deletions. A new one is a file and a line of that list. Each has, in this order,
//
//   - the facts that its clients tell, for its invariants;
//   - its clients, as package web carries their requests out, and its workers;
//   - its invariants, over the store and against what clients were told;
//   - its scenarios ([Scenarios]), in which the production code must break no invariant;
//   - its safeguards ([Ablations]). Each is taken out of one scenario, by changing what an actor
//     sends or is answered, and then the model checker must find a violation.
//
// All are about one channel; one is enough, because a name has one channel at a time.
//
// # What survives failure
//
// What dies in a scenario is part of it. Nothing here outlives an exploration.
package protocol
