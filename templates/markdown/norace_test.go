//go:build !race

package markdown

// slowest is how many times as long as plain text a text may take.
const slowest = 50
