//go:build race

package markdown

// slowest is how many times as long as plain text a text may take. The race detector slows the parser more than it
// slows plain text.
const slowest = 100
