package worker

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage"
)

// errStopping ends a cascade between two pieces of work when the process is to
// stop. Another worker does the rest.
var errStopping = errors.New("stopping")

// A cascade deletes one incarnation of a channel, or one account (erase). Any number of cascades of
// one incarnation may run concurrently. Each may be stopped anywhere and started again.
type cascade struct {
	steps storage.Steps
	// of is the request to delete that is carried out.
	of domain.Message
	// watch wraps each step.
	watch watch
	// removed is called after each transaction of a sweep, maybe concurrently.
	removed func(ctx context.Context, rows int)
	// stop is closed when the process is to stop.
	stop <-chan struct{}
}

// A watch wraps each step of a cascade: it must call take exactly once or return an error, and may wait
// first. more is false in two cases: the pivot found nothing to delete,
// which ends the cascade; or the shut gate is gone, which leaves only the release.
type watch func(ctx context.Context, name domain.Step, take func(context.Context) (more bool, err error)) (bool, error)

// run takes the steps in the only order that is safe (package domain). Each finds out from
// the rows what is left to do. The caller has set the record running, and then sets it done, also if
// the pivot has found nothing; but a record that says undone stays so (UpdateRecord).
func (c *cascade) run(ctx context.Context) error {
	// Take the channel past the pivot: from then on no undo succeeds. If the request died before it set
	// the row pending, PassPivot first renews the index row. The incarnation is not there if its row is
	// gone; or if its deletion was undone, which PassPivot then records.
	there, err := c.step(ctx, domain.StepPivot, func(ctx context.Context, _ domain.ChannelRef) (bool, error) {
		return c.steps.PassPivot(ctx, c.of)
	})
	if err != nil || !there {
		return err
	}
	// Shut the gate, after which the store accepts no new rows. If both gates are gone, there is
	// nothing to sweep (ShutGate).
	gated, err := c.step(ctx, domain.StepShut, c.steps.ShutGate)
	if err == nil && gated {
		gated, err = c.step(ctx, domain.StepSweep, c.sweep)
	}
	// Delete the shut gate, after which no late sweep can remove a row. This must come before
	// the name is free. Otherwise a late sweep could remove rows of the next incarnation.
	if err == nil && gated {
		_, err = c.step(ctx, domain.StepRemoveGate, withMore(c.steps.RemoveGate))
	}
	if err != nil {
		return err
	}
	// Delete the channel's row, which frees the name.
	_, err = c.step(ctx, domain.StepRelease, withMore(c.steps.ReleaseName))
	return err
}

// step takes one step, unless the process is to stop.
func (c *cascade) step(ctx context.Context, name domain.Step, take func(context.Context, domain.ChannelRef) (bool, error)) (bool, error) {
	if err := c.stopping(); err != nil {
		return false, err
	}
	more, err := c.watch(ctx, name, func(ctx context.Context) (bool, error) { return take(ctx, c.of.Ref()) })
	if err != nil {
		return false, fmt.Errorf("step %s: %w", name, err)
	}
	return more, nil
}

// withMore is a step that leaves more to do.
func withMore(take func(context.Context, domain.ChannelRef) error) func(context.Context, domain.ChannelRef) (bool, error) {
	return func(ctx context.Context, ref domain.ChannelRef) (bool, error) { return true, take(ctx, ref) }
}

// sweep makes passes over the partition until one whole pass finds no row. A pass can leave
// rows: those of a transaction that failed because another worker had removed one of them.
// sweep reports whether the shut gate still exists.
func (c *cascade) sweep(ctx context.Context, ref domain.ChannelRef) (gated bool, err error) {
	found, continuation := 0, "" // of this pass
	for {
		if err := c.stopping(); err != nil {
			return true, err
		}
		page, err := c.steps.Sweep(ctx, ref, continuation, func(rows int) { c.removed(ctx, rows) })
		found += page.Found
		if err != nil || page.GateGone || page.Next == "" && found == 0 {
			return !page.GateGone, err
		}
		if continuation = page.Next; continuation == "" {
			found = 0
		}
	}
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
