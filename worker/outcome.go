package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// outcome is how the handling of a message ended. Telling them apart decides
// what becomes of the message, and what counts as an attempt.
type outcome uint8

const (
	// outcomeDone: the message is deleted.
	outcomeDone outcome = iota
	// outcomeRetry: the message is hidden for a backoff and tried again; the
	// attempt counts unless it removed rows.
	outcomeRetry
	// outcomePermanent: no attempt can succeed; the message is poison.
	outcomePermanent
	// outcomePanic: a bug; counts like a retry, and is logged with its stack.
	outcomePanic
	// outcomeShutdown: the process stops; the message is shown again at once and
	// the attempt does not count.
	outcomeShutdown
	// outcomeLost: the lease is somebody else's. There is nothing to settle.
	outcomeLost
)

func (o outcome) String() string {
	return [...]string{"done", "retry", "permanent", "panic", "shutdown", "lease lost"}[o]
}

var (
	// errPermanent wraps what no later attempt can mend.
	errPermanent = errors.New("permanent failure")
	// errLost is the cause of a work context that ended with its lease.
	errLost = errors.New("lease lost")
	// errDrained is the cause of a work context that outlived the time to drain.
	errDrained = errors.New("out of time to stop")
)

// panicError is a panic of the work, as an error.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// guarded calls work and returns its panic as an error.
func guarded(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value: value, stack: debug.Stack()}
		}
	}()
	return work()
}

// classify tells the outcome from the error and from why the work's context
// ended, which says more: a call that was cut off reports anything.
func classify(ctx context.Context, err error) outcome {
	var panicked *panicError
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errLost):
		return outcomeLost
	case err == nil:
		return outcomeDone
	case errors.As(err, &panicked):
		return outcomePanic
	case errors.Is(err, errStopping), errors.Is(cause, errDrained):
		return outcomeShutdown
	case errors.Is(err, errPermanent):
		return outcomePermanent
	default:
		return outcomeRetry
	}
}
