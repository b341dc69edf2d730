package web

import (
	"context"
	"sync"
	"time"
)

// A timeLimit is the context of a request, with requestTimeout. It does what
// context.WithTimeout does, but makes no timer and no channel until somebody waits for its
// end: a page from memory is answered before anybody does, and then it costs nothing.
type timeLimit struct {
	// Context is that of the connection, which ends when the client leaves.
	context.Context
	deadline time.Time

	mu sync.Mutex
	// waited is the context that somebody waits for, or nil.
	waited context.Context
	cancel context.CancelFunc
	// err is what Err returned, if that is not nil.
	err error
}

// Deadline implements context.Context.
func (l *timeLimit) Deadline() (time.Time, bool) {
	if sooner, ok := l.Context.Deadline(); ok && sooner.Before(l.deadline) {
		return sooner, true
	}
	return l.deadline, true
}

// Done implements context.Context.
func (l *timeLimit) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waited == nil {
		l.waited, l.cancel = context.WithDeadline(l.Context, l.deadline)
		if l.err != nil {
			l.cancel()
		}
	}
	return l.waited.Done()
}

// Err implements context.Context.
func (l *timeLimit) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look()
}

// look returns what Err does. The caller holds mu.
func (l *timeLimit) look() error {
	switch {
	case l.err != nil:
	case l.waited != nil:
		l.err = l.waited.Err()
	case l.Context.Err() != nil:
		l.err = l.Context.Err()
	case !time.Now().Before(l.deadline):
		l.err = context.DeadlineExceeded
	}
	return l.err
}

// Value implements context.Context. Package context asks for a value of its own to find
// out whether a context that is made from this one needs a goroutine to wait for it.
func (l *timeLimit) Value(key any) any {
	l.mu.Lock()
	waited := l.waited
	l.mu.Unlock()
	if waited != nil {
		return waited.Value(key)
	}
	return l.Context.Value(key)
}

// end ends the context with its request.
func (l *timeLimit) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.look() == nil {
		l.err = context.Canceled
	}
	if l.cancel != nil {
		l.cancel()
	}
}
