//go:build !race

package program

// Raced reports whether the caller was built with the race detector.
const Raced = false
