package concurrent

import (
	"context"
	"sync"
)

// Locks let the callers in this process that want the same key go one after another. They only save
// effort: other processes do not know of them, so correctness must not depend on them.
type Locks[K comparable] struct {
	// Each is how many callers may have one key together. 0 is one.
	Each int

	mu sync.Mutex
	of map[K]*lock
}

type lock struct {
	// held has an element for each caller that has the lock. The callers that wait get it in the order in which they came.
	held chan struct{}
	// wanted is how many have it or wait. The last of them removes the lock.
	wanted int
}

// Lock waits until fewer than Each callers have the key, or ctx ends.
func (l *Locks[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	l.mu.Lock()
	if l.of == nil {
		l.of = make(map[K]*lock)
	}
	mine := l.of[key]
	if mine == nil {
		mine = &lock{held: make(chan struct{}, max(1, l.Each))}
		l.of[key] = mine
	}
	mine.wanted++
	l.mu.Unlock()
	select {
	case mine.held <- struct{}{}:
		return func() { <-mine.held; l.leave(key, mine) }, nil
	case <-ctx.Done():
		l.leave(key, mine)
		return nil, ctx.Err()
	}
}

func (l *Locks[K]) leave(key K, mine *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mine.wanted--; mine.wanted == 0 {
		delete(l.of, key)
	}
}
