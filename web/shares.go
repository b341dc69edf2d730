package web

import "sync"

// shares bound what all have of something at once, and what each one has: event streams,
// bytes of bodies, batches. They are safe for concurrent use.
type shares[K comparable] struct {
	all, each int64

	mu    sync.Mutex
	taken int64
	by    map[K]int64
}

func newShares[K comparable](all, each int64) *shares[K] {
	return &shares[K]{all: all, each: each, by: make(map[K]int64)}
}

// take takes n more for one, or takes nothing and reports false if that is too much.
func (s *shares[K]) take(one K, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken+n > s.all || s.by[one]+n > s.each {
		return false
	}
	s.taken += n
	s.by[one] += n
	return true
}

// give gives back what one has taken.
func (s *shares[K]) give(one K, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[one] -= n; s.by[one] == 0 {
		delete(s.by, one)
	}
}
