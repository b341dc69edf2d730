package web

import (
	"net/http"
	"sync"
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

// A streamLimit counts the event streams that are open. It is safe for concurrent use.
type streamLimit struct {
	mu       sync.Mutex
	open     int
	byClient map[clientAddress]int
}

func newStreamLimit() *streamLimit {
	return &streamLimit{byClient: make(map[clientAddress]int)}
}

// enter takes room for a stream of the client, or refuses it with 503. The caller must
// call leave when the stream has ended.
func (l *streamLimit) enter(client clientAddress) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxStreams || l.byClient[client] >= maxClientStreams {
		return nil, errStreamsFull()
	}
	l.open++
	l.byClient[client]++
	return func() { l.leave(client) }, nil
}

func (l *streamLimit) leave(client clientAddress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.byClient[client]--; l.byClient[client] == 0 {
		delete(l.byClient, client)
	}
}

func errStreamsFull() error {
	const title = "Too many pages are being watched"
	p := newProblem(http.StatusServiceUnavailable, title, "")
	p.RetryAfter = streamRetry
	return explain(&refusal{p}, title, "What you watch is on its page too. Reload that page to see it.")
}
