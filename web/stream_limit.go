package web

import (
	"net/http"
	"time"
)

const (
	// maxClientStreams is how many event streams one client may have open: a stream for
	// each page that is watched in a household or a small office.
	maxClientStreams = 16
	// maxStreams is how many event streams may be open in this process. Each of them
	// reads the store once each watchInterval.
	maxStreams = 512
	// streamRetry is the Retry-After of a stream that finds no room.
	streamRetry = 30 * time.Second
)

// A streamLimit counts the event streams that are open.
type streamLimit struct{ open *shares[clientAddress] }

func newStreamLimit() *streamLimit {
	return &streamLimit{newShares[clientAddress](maxStreams, maxClientStreams)}
}

// enter takes room for a stream of the client, or refuses it with 503. The caller must
// call leave when the stream has ended.
func (l *streamLimit) enter(client clientAddress) (leave func(), err error) {
	if !l.open.take(client, 1) {
		return nil, errStreamsFull()
	}
	return func() { l.open.give(client, 1) }, nil
}

func errStreamsFull() error {
	const title = "Too many pages are being watched"
	p := newProblem(http.StatusServiceUnavailable, title, "")
	p.RetryAfter = streamRetry
	return explain(&refusal{p}, title, "What you watch is on its page too. Reload that page to see it.")
}
