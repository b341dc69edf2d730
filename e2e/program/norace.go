//go:build !race

package program

// Raced tells whether the caller was built with the race detector.
const Raced = false
