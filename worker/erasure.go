package worker

import (
	"context"

	"microblogging/domain"
	"microblogging/storage"
)

// erase takes the steps that delete an account, in the only order that is safe (package erasure in
// storage). Each finds out from the rows what is left to do.
func (c *cascade) erase(ctx context.Context) error {
	there, err := c.step(ctx, domain.StepPivot, func(ctx context.Context, _ domain.ChannelRef) (bool, error) {
		return c.steps.BeginErasure(ctx, c.of)
	})
	if err != nil || !there {
		return err
	}
	// What the user owns and has sent is removed first: the user's lists say where it is, and are
	// removed with it.
	for _, step := range []struct {
		name domain.Step
		take func(context.Context, domain.Message, storage.Removed) error
	}{
		{domain.StepChannels, c.steps.EraseChannels},
		{domain.StepFence, c.steps.EraseFence},
		{domain.StepPosts, c.steps.ErasePosts},
		{domain.StepVotes, c.steps.EraseVotes},
		{domain.StepSubscriptions, c.steps.EraseSubscriptions},
		{domain.StepRelease, c.steps.EraseAccount},
	} {
		_, err := c.step(ctx, step.name, withMore(func(ctx context.Context, _ domain.ChannelRef) error {
			return step.take(ctx, c.of, func(rows int) error {
				if rows > 0 {
					c.removed(ctx, rows)
				}
				return c.stopping()
			})
		}))
		if err != nil {
			return err
		}
	}
	return nil
}
