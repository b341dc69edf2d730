// Package check holds the invariants of package domain against the rows of a store, and repairs
// what can be repaired safely. It may run beside everything else.
package check
