package concurrent

import (
	"context"
	"sync"
)

// Locks let the callers in this process that want the same key go one after another. They only save
// effort: other processes do not know of them, so correctness must not depend on them.
type Locks[K comparable] struct {
	mu sync.Mutex
	of map[K]*lock
}

type lock struct {
	// held is full while a caller has the lock. The callers that wait get it in the order in which they came.
	held chan struct{}
	// wanted is how many have it or wait. The last of them removes the lock.
	wanted int
}

// Lock waits until no other caller has the key, or ctx ends.
func (l *Locks[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	l.mu.Lock()
	if l.of == nil {
		l.of = make(map[K]*lock)
	}
	mine := l.of[key]
	if mine == nil {
		mine = &lock{held: make(chan struct{}, 1)}
		l.of[key] = mine
	}
	mine.wanted++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.wanted--; mine.wanted == 0 {
			delete(l.of, key)
		}
	}
	select {
	case mine.held <- struct{}{}:
		return func() { <-mine.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
