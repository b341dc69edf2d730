package flight

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Points is the largest number of single rows that are read at once for one request. A page of a
// list has 20 rows, so that it waits once.
const Points = 32

// Reads are how reads are made that do not depend on each other.
type Reads struct {
	// InTurn makes them one after another, where to make them at once gains nothing. Then
	// nothing is gained either by knowing beforehand what to read.
	InTurn bool
	// LastFirst makes them in the opposite order if they are made in turn.
	LastFirst bool
	// Most, if it is not 0, bounds every Group.
	Most int
}

// Group returns a group of at most limit calls at once. The first call that fails ends the
// context.
func (r Reads) Group(ctx context.Context, limit int) (*Group, context.Context) {
	if r.Most > 0 {
		limit = min(limit, r.Most)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	return &Group{group: group}, ctx
}

// AtOnce makes calls that do not depend on each other, and waits for all of them: on a
// network they cost one round trip together. It returns the error of the first of them
// that failed, in the order of the arguments. So the caller gets the error that the same
// calls one after another would give. If the first call fails, the context of the others
// ends, since nobody needs their answers. A panic in a call is passed on to the caller.
func (r Reads) AtOnce(ctx context.Context, first func(context.Context) error, others ...func(context.Context) error) error {
	if r.InTurn {
		return inTurn(ctx, r.LastFirst, first, others)
	}
	othersCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, 1+len(others))
	group := Unbroken(len(errs))
	group.Go(func() error {
		if errs[0] = first(ctx); errs[0] != nil {
			cancel()
		}
		return nil
	})
	for i, call := range others {
		group.Go(func() error {
			errs[1+i] = call(othersCtx)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return firstError(errs)
}

// inTurn is AtOnce for calls one after another. Those after a call that failed are not
// made. If lastFirst is set, the calls are made in the opposite order, and all of them.
func inTurn(ctx context.Context, lastFirst bool, first func(context.Context) error, others []func(context.Context) error) error {
	if !lastFirst {
		err := first(ctx)
		for i := 0; err == nil && i < len(others); i++ {
			err = others[i](ctx)
		}
		return err
	}
	errs := make([]error, 0, 1+len(others))
	for _, call := range slices.Backward(others) {
		errs = append(errs, call(ctx))
	}
	errs = append(errs, first(ctx))
	slices.Reverse(errs)
	return firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Ahead begins a read before its answer is needed. The function that it returns waits for
// the answer; it must be called, and may be called again. A panic in the read is passed on
// to whoever waits. If calls are made in turn, Ahead reads before it returns (a
// panic is then passed on at once), or with LastFirst when the answer is needed.
func Ahead[T any](r Reads, read func() (T, error)) (wait func() (T, error)) {
	switch {
	case !r.InTurn:
	case r.LastFirst:
		return sync.OnceValues(read)
	default:
		answer, err := read()
		return func() (T, error) { return answer, err }
	}
	var answer T
	group := Unbroken(1)
	group.Go(func() (err error) {
		answer, err = read()
		return err
	})
	return func() (T, error) {
		err := group.Wait()
		return answer, err
	}
}

// Gather reads something for each item, Points at once, and returns what is to be kept, in the
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
