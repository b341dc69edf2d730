//go:build !race

package e2e

// raceFlag builds the program as the tests were built.
var raceFlag []string
