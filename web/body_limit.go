package web

import (
	"fmt"
	"io"

	"microblogging/domain"
)

const (
	// maxBodies is how many bytes of bodies may be in memory at once, and maxClientBodies how
	// many of one client: three batches.
	maxBodies       = 32 << 20
	maxClientBodies = 8 << 20
)

// A countedBody is the body of a request. What was read of it counts until the request has
// been answered. If that is too much, reading on is domain.ErrBusy.
type countedBody struct {
	io.ReadCloser
	all    *shares[clientAddress]
	client clientAddress
	read   int64
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.all.take(b.client, int64(n)) {
		return 0, fmt.Errorf("too many bodies are being read: %w", domain.ErrBusy)
	}
	b.read += int64(n)
	return n, err
}

// release gives back what was read.
func (b *countedBody) release() { b.all.give(b.client, b.read) }
