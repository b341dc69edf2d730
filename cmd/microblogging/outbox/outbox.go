// Package outbox writes what many produce and nobody waits for: the lines of a log, the spans of
// traces.
package outbox

import (
	"sync"
	"time"
)

// An Outbox keeps items for a moment, and writes those of one moment by one call. If the writer
// hangs, as a pipe does that nobody reads, what does not fit is lost. It is safe for concurrent
// use. A process that is killed loses what waits.
type Outbox[T any] struct {
	wait  time.Duration
	room  int
	write func(items []T, lost int)
	// writing is full while items are written, so that they stay in their order.
	writing chan struct{}

	mu    sync.Mutex
	items []T
	// due says that flush will take the items.
	due  bool
	lost int
}

// New returns an outbox whose items wait so long for others, and of which so many have room. Write
// is told how many additions were lost, and is not called again before it has returned.
func New[T any](wait time.Duration, room int, write func(items []T, lost int)) *Outbox[T] {
	return &Outbox[T]{wait: wait, room: room, write: write, writing: make(chan struct{}, 1)}
}

// Add adds items, or none of them if there is no room for all.
func (o *Outbox[T]) Add(items ...T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items)+len(items) > o.room {
		o.lost++
		return
	}
	o.items = append(o.items, items...)
	if !o.due {
		o.due = true
		time.AfterFunc(o.wait, o.flush)
	}
}

// flush writes what waits.
func (o *Outbox[T]) flush() {
	o.writing <- struct{}{}
	defer func() { <-o.writing }()
	if items, lost := o.Take(); len(items) > 0 {
		o.write(items, lost)
	}
}

// Take takes out what waits, and tells how many additions were lost.
func (o *Outbox[T]) Take() (items []T, lost int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	items, lost = o.items, o.lost
	o.items, o.lost, o.due = nil, 0, false
	return items, lost
}

// Stop writes what waits, and returns false if that takes longer: a writer that hangs does not
// decide when the process ends.
func (o *Outbox[T]) Stop(within time.Duration) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.flush()
	}()
	select {
	case <-done:
		return true
	case <-time.After(within):
		return false
	}
}
