package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"microblogging/domain"
)

// outcome is how the handling of a message ended. It decides what becomes of the
// message, and whether the attempt counts.
type outcome uint8

const (
	// outcomeDone: the work is done; the message is deleted.
	outcomeDone outcome = iota
	// outcomeRetry: the work failed although the store answered; the message is invisible for a
	// backoff. The attempt counts unless it removed rows.
	outcomeRetry
	// outcomePermanent: no attempt can succeed; the message is poisoned.
	outcomePermanent
	// outcomePanic: the work met a bug. It is treated as a retry, and logged with
	// its stack.
	outcomePanic
	// outcomeShutdown: the process stops; the message is made visible immediately. The
	// attempt does not count.
	outcomeShutdown
	// outcomeWait: the store did not answer; the message is invisible for a backoff.
	// The attempt does not count, however often that happens.
	outcomeWait
	// outcomeLost: the lease is lost; the message belongs to another worker.
	outcomeLost
)

func (o outcome) String() string {
	return [...]string{"done", "retry", "permanent", "panic", "shutdown", "wait", "lease lost"}[o]
}

// stepResult is the result of a step that ended so.
func (o outcome) stepResult() domain.StepResult {
	return [...]domain.StepResult{
		domain.StepDone, domain.StepFailed, domain.StepFailed, domain.StepFailed,
		domain.StepStopped, domain.StepWaiting, domain.StepLost,
	}[o]
}

// Outcomes lists what End.Outcome can be.
func Outcomes() (all []string) {
	for o := outcomeDone; o <= outcomeLost; o++ {
		all = append(all, o.String())
	}
	return all
}

var (
	// errPermanent is in the chain of a failure that no later attempt can mend.
	errPermanent = errors.New("permanent failure")
	// errPanic is in the chain of a failure that was a panic of the work.
	errPanic = errors.New("panic")
	// errLost is the cause of a work context that ended because the lease is lost.
	errLost = errors.New("lease lost")
	// errDrained is the cause of a work context that ended because the work was
	// still going on after Drain.
	errDrained = errors.New("out of time to stop")
)

// guarded calls work. If work panics, guarded returns an errPanic.
func guarded(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, value, debug.Stack())
		}
	}()
	return work()
}

// classify returns the outcome of work that ended with err under ctx. The cause
// of ctx comes before err, because a call that was cut off may return any error.
func classify(ctx context.Context, err error) outcome {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errLost):
		return outcomeLost
	case err == nil:
		return outcomeDone
	case errors.Is(err, errPanic):
		return outcomePanic
	case errors.Is(err, errStopping), errors.Is(cause, errDrained):
		return outcomeShutdown
	case errors.Is(err, errPermanent):
		return outcomePermanent
	case unanswered(err):
		return outcomeWait
	default:
		return outcomeRetry
	}
}

// unanswered reports whether work failed because the store did not answer.
func unanswered(err error) bool {
	return errors.Is(err, domain.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

// stepResult is the result of a step that ended with err under ctx.
func stepResult(ctx context.Context, more bool, err error) domain.StepResult {
	switch {
	case err != nil:
		return classify(ctx, err).stepResult()
	case more:
		return domain.StepDone
	default:
		return domain.StepOvertaken
	}
}
