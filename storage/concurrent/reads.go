package concurrent

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Points is the largest number of single rows that are read concurrently for one request. A page of a
// list has 20 rows, so that it waits once.
const Points = 32

// Reads are how reads are made that do not depend on each other.
type Reads struct {
	// InTurn makes them one after another, where concurrency gains nothing.
	InTurn bool
	// LastFirst makes them in the opposite order if they are made in turn.
	LastFirst bool
	// Limit, if it is not 0, bounds every Group.
	Limit int
}

// Group returns a group of at most limit concurrent calls. The first call that fails ends the
// context.
func (r Reads) Group(ctx context.Context, limit int) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.atMost(limit))
	return &Group{group: group}, ctx
}

// Unbroken is Group, but a call that fails does not end the others.
func (r Reads) Unbroken(limit int) *Group { return NewGroup(r.atMost(limit)) }

func (r Reads) atMost(limit int) int {
	if r.Limit > 0 {
		limit = min(limit, r.Limit)
	}
	return limit
}

// Concurrently makes calls that do not depend on each other, and waits for all of them: on a
// network they cost one round trip together. It returns the error of the first of them
// that failed, in the order of the arguments. So the caller gets the error that the same
// calls one after another would give. A panic in a call is passed on to the caller.
func (r Reads) Concurrently(ctx context.Context, calls ...func(context.Context) error) error {
	errs := make([]error, len(calls))
	switch {
	case !r.InTurn:
		group := NewGroup(len(calls))
		for i, call := range calls {
			group.Go(func() error {
				errs[i] = call(ctx)
				return nil // the order of the calls decides, and not which was the fastest
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	case r.LastFirst: // and all of them, as if they were made concurrently
		for i, call := range slices.Backward(calls) {
			errs[i] = call(ctx)
		}
	default:
		for _, call := range calls {
			if err := call(ctx); err != nil {
				return err
			}
		}
	}
	return cmp.Or(errs...)
}

// Gather reads something for each item, Points concurrently, and returns what is to be kept, in the
// order of the items. The first error ends it.
func Gather[T, R any](ctx context.Context, r Reads, items []T, read func(context.Context, T) (found R, keep bool, err error)) ([]R, error) {
	found, keep := make([]R, len(items)), make([]bool, len(items))
	group, ctx := r.Group(ctx, Points)
	for i, item := range items {
		group.Go(func() (err error) {
			found[i], keep[i], err = read(ctx, item)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	kept := found[:0]
	for i := range found {
		if keep[i] {
			kept = append(kept, found[i])
		}
	}
	return kept, nil
}
