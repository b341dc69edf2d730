package worker

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage"
)

// errStopping is returned between two pieces of work when the process is to
// stop. What is left is somebody else's to do.
var errStopping = errors.New("stopping")

// cascadeStore is what the cascade does to the store: one method a step.
type cascadeStore interface {
	MarkDeleting(ctx context.Context, ref domain.ChannelRef) (present bool, err error)
	ShutGate(ctx context.Context, ref domain.ChannelRef) (sweep bool, err error)
	Sweep(ctx context.Context, ref domain.ChannelRef, continuation string, report func(rows int)) (storage.SweepPage, error)
	DisarmGate(ctx context.Context, ref domain.ChannelRef) error
	ReleaseName(ctx context.Context, ref domain.ChannelRef) error
}

// A cascade is one handling of the deletion of one incarnation. Any number may
// run at once, and each may be stopped anywhere and started again.
type cascade struct {
	store    cascadeStore
	ref      domain.ChannelRef
	progress *progress
	// stop is closed when the process is to stop.
	stop <-chan struct{}
}

// A step does its part and names the step to go on with; finished ends the
// cascade.
type step struct {
	name domain.Step
	run  func(context.Context) (domain.Step, error)
}

const finished domain.Step = ""

// steps is the cascade, in the only order that is safe (package domain).
func (c *cascade) steps() []step {
	return []step{
		{domain.StepMark, c.mark},
		{domain.StepShut, c.shut},
		{domain.StepSweep, c.sweep},
		{domain.StepDisarm, c.disarm},
		{domain.StepRelease, c.release},
	}
}

func (c *cascade) run(ctx context.Context) error {
	next := domain.StepMark
	for _, step := range c.steps() {
		if step.name != next {
			continue
		}
		if err := c.stopping(); err != nil {
			return err
		}
		c.progress.enter(step.name)
		var err error
		if next, err = step.run(ctx); err != nil {
			return fmt.Errorf("step %s: %w", step.name, err)
		}
	}
	return nil
}

// mark hides the channel. No row, or another incarnation's: this one is gone
// and nothing that is left could be its own.
func (c *cascade) mark(ctx context.Context) (domain.Step, error) {
	present, err := c.store.MarkDeleting(ctx, c.ref)
	if err != nil || !present {
		return finished, err
	}
	return domain.StepShut, nil
}

// shut keeps new rows out. Both gates gone means that a worker before us died
// between disarming the sweep and releasing the name.
func (c *cascade) shut(ctx context.Context) (domain.Step, error) {
	sweep, err := c.store.ShutGate(ctx, c.ref)
	if err != nil || !sweep {
		return domain.StepRelease, err
	}
	return domain.StepSweep, nil
}

// sweep passes over the partition until one whole pass, from its start, finds
// nothing: rows that others removed or moved meanwhile can hide behind a single
// pass.
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

func (c *cascade) pass(ctx context.Context) (found int, disarmed bool, err error) {
	report := func(rows int) { c.progress.removed(ctx, rows) }
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

// disarm makes every sweeper that is late powerless. It must come before the
// name is free, or such a sweeper could meet the next incarnation.
func (c *cascade) disarm(ctx context.Context) (domain.Step, error) {
	return domain.StepRelease, c.store.DisarmGate(ctx, c.ref)
}

// release frees the name.
func (c *cascade) release(ctx context.Context) (domain.Step, error) {
	return finished, c.store.ReleaseName(ctx, c.ref)
}

func (c *cascade) stopping() error {
	select {
	case <-c.stop:
		return errStopping
	default:
		return nil
	}
}
