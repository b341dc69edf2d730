package storage

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A flight is several calls at once, as an errgroup.Group. A panic in one of them does
// not end the process: Wait passes it on to the caller, who is guarded against panics
// (a request, or the handling of a message) or is a command, which may end.
type flight struct {
	group *errgroup.Group

	once     sync.Once
	panicked any
}

// newFlight returns a flight of at most limit calls at once. The first call that
// fails ends the context.
func newFlight(ctx context.Context, limit int) (*flight, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	return &flight{group: group}, ctx
}

// newUnbrokenFlight returns a flight of at most limit calls at once, in which a call
// that fails does not end the others.
func newUnbrokenFlight(limit int) *flight {
	group := &errgroup.Group{}
	group.SetLimit(limit)
	return &flight{group: group}
}

// Go makes a call as soon as there is room for it.
func (f *flight) Go(call func() error) {
	f.group.Go(func() (err error) {
		defer func() {
			if value := recover(); value != nil {
				f.once.Do(func() { f.panicked = fmt.Sprintf("%v\n\n%s", value, debug.Stack()) })
				err = fmt.Errorf("panic: %v", value) // ends the others, if they share a context
			}
		}()
		return call()
	})
}

// Wait waits for all calls and returns the error of the first that failed. If one of
// them panicked, Wait panics; the value has the stack of that call.
func (f *flight) Wait() error {
	err := f.group.Wait()
	if f.panicked != nil {
		panic(f.panicked)
	}
	return err
}
