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

// outcomes has the name of each outcome, and the result of a step that ended so.
var outcomes = [...]struct {
	name string
	step domain.StepResult
}{
	outcomeDone:      {"done", domain.StepDone},
	outcomeRetry:     {"retry", domain.StepFailed},
	outcomePermanent: {"permanent", domain.StepFailed},
	outcomePanic:     {"panic", domain.StepFailed},
	outcomeShutdown:  {"shutdown", domain.StepStopped},
	outcomeWait:      {"wait", domain.StepWaiting},
	outcomeLost:      {"lease lost", domain.StepLost},
}

func (o outcome) String() string { return outcomes[o].name }

// Outcomes lists what End.Outcome can be.
func Outcomes() (all []string) {
	for _, o := range outcomes {
		all = append(all, o.name)
	}
	return all
}

var (
	// errPermanent is in the chain of a failure that no later attempt can mend.
	errPermanent = errors.New("permanent failure")
	// ErrPanic is in the chain of a failure that was a panic of the work.
	ErrPanic = errors.New("panic")
	// errLost is the cause of a work context that ended because the lease is lost.
	errLost = errors.New("lease lost")
	// errDrained is the cause of a work context that ended because the work was
	// still going on after Drain.
	errDrained = errors.New("out of time to stop")
)

// guarded calls work. If work panics, guarded returns an ErrPanic.
func guarded(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, value, debug.Stack())
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
	case errors.Is(err, ErrPanic):
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
		return outcomes[classify(ctx, err)].step
	case more:
		return domain.StepDone
	default:
		return domain.StepOvertaken
	}
}
