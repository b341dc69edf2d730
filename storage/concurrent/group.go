// Package concurrent makes concurrent calls that do not depend on each other.
package concurrent

import (
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

	once     sync.Once
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
			if value := recover(); value != nil {
				g.once.Do(func() { g.panicked = fmt.Sprintf("%v\n\n%s", value, debug.Stack()) })
				err = fmt.Errorf("panic: %v", value) // ends the others, if they share a context
			}
		}()
		return call()
	})
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
