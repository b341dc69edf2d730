// Package concurrent makes concurrent calls that do not depend on each other.
package concurrent

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A Group is several concurrent calls, as an errgroup.Group. A panic in one of them does
// not end the process: Wait passes it on to the caller, who is guarded against panics
// (a request, or the handling of a message) or is a command, which may end.
type Group struct {
	group *errgroup.Group

	mu       sync.Mutex
	failures []error
	panicked any
}

// NewGroup returns a group of at most limit concurrent calls, in which a call
// that fails does not end the others.
func NewGroup(limit int) *Group {
	group := &errgroup.Group{}
	group.SetLimit(limit)
	return &Group{group: group}
}

// Go makes a call as soon as there is room for it.
func (g *Group) Go(call func() error) {
	g.group.Go(func() (err error) {
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			if value := recover(); value != nil {
				err = fmt.Errorf("panic: %v", value) // ends the others, if they share a context
				if g.panicked == nil {
					g.panicked = fmt.Sprintf("%v\n\n%s", value, debug.Stack())
				}
			}
			if err != nil {
				g.failures = append(g.failures, err)
			}
		}()
		return call()
	})
}

// Failed reports whether a call has failed.
func (g *Group) Failed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.failures) > 0
}

// Wait waits for all calls and returns the error of the first that failed. If one of
// them panicked, Wait panics; the value has the stack of that call.
func (g *Group) Wait() error {
	err := g.group.Wait()
	if g.panicked != nil {
		panic(g.panicked)
	}
	return err
}

// WaitAll is Wait, and returns the errors of all calls that failed.
func (g *Group) WaitAll() error {
	_ = g.Wait() // one of them
	return errors.Join(g.failures...)
}
