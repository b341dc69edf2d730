package main

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
)

type requeueCommand struct {
	Channel      string `placeholder:"NAME" xor:"which" help:"Requeue only the deletions of this channel and of its posts."`
	Drop         bool   `xor:"which" help:"Drop the messages that cannot be decoded, and requeue nothing. Their text is lost."`
	storageFlags `embed:""`
}

// Run puts poisoned messages back on the queue, or drops those that cannot be decoded.
func (c requeueCommand) Run(ctx context.Context, console *console) error {
	var key domain.ChannelKey
	if c.Channel != "" {
		name, err := domain.ParseChannelName(c.Channel)
		if err != nil {
			return badName("--channel", err)
		}
		key = name.Key()
	}
	return c.use(ctx, false, func(b *backend) error {
		act, did := b.Operator.DropUndecodable, "dropped"
		if !c.Drop {
			act, did = func(ctx context.Context) (int, error) { return b.Operator.Requeue(ctx, key) }, "requeued"
		}
		n, err := act(ctx)
		if c.Channel != "" && n == 0 && err == nil {
			if _, err := b.Store.Channels.Get(ctx, key.Address()); errors.Is(err, domain.ErrNotFound) {
				return cannotRunError{fmt.Errorf("no channel %s", c.Channel)}
			}
		}
		fmt.Fprintf(console.stdout, "%s %d\n", did, n)
		return err
	})
}
