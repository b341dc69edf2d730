package storage

import (
	"context"
	"slices"
	"sync"
)

// AtOnce makes calls that do not depend on each other, and waits for all of them: on a
// network they cost one round trip together. It returns the error of the first of them
// that failed, in the order of the arguments. So the caller gets the error that the same
// calls one after another would give. If the first call fails, the context of the others
// ends, since nobody needs their answers. A panic in a call is passed on to the caller.
//
// Where that gains nothing, the calls are made one after another.
func (s *Store) AtOnce(ctx context.Context, first func(context.Context) error, others ...func(context.Context) error) error {
	if s.InTurn() {
		return inTurn(ctx, s.options.LastFirst, first, others)
	}
	othersCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, 1+len(others))
	group := newUnbrokenFlight(len(errs))
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

// InTurn reports whether AtOnce makes calls one after another. Then nothing is gained by
// knowing beforehand what to read.
func (s *Store) InTurn() bool {
	return s.options.Flight == 1 || !s.traits.ReadsAtOnce
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ahead begins a read before its answer is needed. The function that it returns waits for
// the answer; it must be called, and may be called again. A panic in the read is passed on
// to whoever waits. If calls are made one after another, ahead reads before it returns (a
// panic is then passed on at once), or with LastFirst when the answer is needed.
func ahead[T any](s *Store, read func() (T, error)) (wait func() (T, error)) {
	switch {
	case !s.InTurn():
	case s.options.LastFirst:
		return sync.OnceValues(read)
	default:
		answer, err := read()
		return func() (T, error) { return answer, err }
	}
	var answer T
	group := newUnbrokenFlight(1)
	group.Go(func() (err error) {
		answer, err = read()
		return err
	})
	return func() (T, error) {
		err := group.Wait()
		return answer, err
	}
}
