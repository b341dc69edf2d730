package concurrent

import (
	"errors"
	"sync"
)

// Failures gathers the errors of several goroutines. The zero Failures has none.
type Failures struct {
	mu   sync.Mutex
	errs []error
}

// Add adds an error.
func (f *Failures) Add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

// Any reports whether there is an error.
func (f *Failures) Any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.errs) > 0
}

// Joined returns the errors as one, or nil.
func (f *Failures) Joined() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.errs...)
}
