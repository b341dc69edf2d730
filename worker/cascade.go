package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage"
)

// errStopping ends a cascade between two pieces of work when the process is to
// stop. Another worker does the rest.
var errStopping = errors.New("stopping")

// cascadeStore is what the cascade does to the store: one method for each step.
type cascadeStore interface {
	MarkDeleting(ctx context.Context, ref domain.ChannelRef) (present bool, err error)
	ShutGate(ctx context.Context, ref domain.ChannelRef) (shut bool, err error)
	Sweep(ctx context.Context, ref domain.ChannelRef, continuation string, report func(rows int)) (storage.SweepPage, error)
	DisarmGate(ctx context.Context, ref domain.ChannelRef) error
	ReleaseName(ctx context.Context, ref domain.ChannelRef) error
}

// A cascade deletes one incarnation of a channel. Any number of cascades of one
// incarnation may run at once. Each may be stopped anywhere and started again.
type cascade struct {
	store    cascadeStore
	ref      domain.ChannelRef
	progress *progress
	// stop is closed when the process is to stop.
	stop <-chan struct{}
	// lesson is nil unless the worker is to pause before each step.
	lesson *lesson
	// handling is told of each step, and of the rows that are removed.
	handling Handling
}

// A step is one stage of the cascade. run returns the name of the step to go on
// with, or finished.
type step struct {
	name domain.Step
	run  func(context.Context) (domain.Step, error)
}

// finished ends the cascade.
const finished domain.Step = ""

// steps lists the steps in the only order that is safe (package domain).
func (c *cascade) steps() []step {
	return []step{
		{domain.StepMark, c.mark},
		{domain.StepShut, c.shut},
		{domain.StepSweep, c.sweep},
		{domain.StepDisarm, c.disarm},
		{domain.StepRelease, c.release},
	}
}

// run takes the steps in order and skips those that a step has found done.
func (c *cascade) run(ctx context.Context) error {
	next := domain.StepMark
	for _, step := range c.steps() {
		if step.name != next {
			continue
		}
		if err := c.stopping(); err != nil {
			return err
		}
		if err := c.lesson.pause(ctx, step.name); err != nil {
			return err
		}
		c.progress.enter(step.name)
		var err error
		if next, err = c.take(ctx, step); err != nil {
			return fmt.Errorf("step %s: %w", step.name, err)
		}
		c.progress.leave(stepResult(step.name, next))
	}
	return nil
}

// take takes a step. If the step panics, take returns a panicError.
func (c *cascade) take(ctx context.Context, step step) (next domain.Step, err error) {
	ctx, ended := c.handling.Step(ctx, step.name)
	err = guarded(func() (err error) {
		next, err = step.run(ctx)
		return err
	})
	ended(err)
	return next, err
}

// stepResult is the result of a step that went well. A step that leaves out the next
// one has found that another worker is further.
func stepResult(taken, next domain.Step) domain.StepResult {
	steps := append(domain.Steps(), finished)
	if steps[slices.Index(steps, taken)+1] != next {
		return domain.StepOvertaken
	}
	return domain.StepDone
}

// mark hides the channel from readers. If the channel's row is absent, or is of
// another incarnation, this incarnation is gone and nothing of it is left.
func (c *cascade) mark(ctx context.Context) (domain.Step, error) {
	present, err := c.store.MarkDeleting(ctx, c.ref)
	if err != nil || !present {
		return finished, err
	}
	return domain.StepShut, nil
}

// shut shuts the gate, which keeps new rows out. If both gates are gone, an
// earlier worker disarmed the gate and died before it released the name.
func (c *cascade) shut(ctx context.Context) (domain.Step, error) {
	shut, err := c.store.ShutGate(ctx, c.ref)
	if err != nil || !shut {
		return domain.StepRelease, err
	}
	return domain.StepSweep, nil
}

// sweep passes over the partition until one whole pass finds nothing. A pass can
// leave rows: those of a transaction that failed because another worker had
// removed one of them, and those that others moved at that time.
func (c *cascade) sweep(ctx context.Context) (domain.Step, error) {
	for {
		found, disarmed, err := c.pass(ctx)
		switch {
		case err != nil:
			return finished, err
		case disarmed:
			return domain.StepRelease, nil
		case found == 0:
			return domain.StepDisarm, nil
		}
	}
}

// pass sweeps the partition once, from its start to its end. found counts the
// rows that it met. disarmed tells that the shut gate is gone.
func (c *cascade) pass(ctx context.Context) (found int, disarmed bool, err error) {
	report := func(rows int) {
		c.handling.Removed(rows)
		c.progress.removed(ctx, rows)
	}
	for continuation := ""; ; {
		if err := c.stopping(); err != nil {
			return found, false, err
		}
		page, err := c.store.Sweep(ctx, c.ref, continuation, report)
		found += page.Found
		if err != nil || page.Disarmed || page.Next == "" {
			return found, page.Disarmed, err
		}
		continuation = page.Next
	}
}

// disarm deletes the shut gate, after which no late sweep can remove a row. It
// must come before the name is free, or a late sweep could meet the rows of the
// next incarnation.
func (c *cascade) disarm(ctx context.Context) (domain.Step, error) {
	return domain.StepRelease, c.store.DisarmGate(ctx, c.ref)
}

// release deletes the channel's row, which frees the name.
func (c *cascade) release(ctx context.Context) (domain.Step, error) {
	return finished, c.store.ReleaseName(ctx, c.ref)
}

// stopping returns errStopping once the process is to stop.
func (c *cascade) stopping() error {
	select {
	case <-c.stop:
		return errStopping
	default:
		return nil
	}
}
