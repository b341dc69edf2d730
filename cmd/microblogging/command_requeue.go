package main

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
)

type requeueCommand struct {
	requeueTask   `embed:""`
	operatorFlags `embed:""`
}

// Run puts poisoned messages back on the queue, or drops those that cannot be decoded.
func (c requeueCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.requeueTask)
}

type requeueTask struct {
	Channel channelName `placeholder:"NAME" xor:"which" help:"Requeue only the deletions of this channel and of its posts."`
	Drop    bool        `xor:"which" help:"Drop the messages that cannot be decoded, and requeue nothing. Their text is lost."`
}

func (requeueTask) command() string { return "requeue" }

func (t requeueTask) do(ctx context.Context, b *backend, console *console) error {
	var key domain.ChannelKey
	if t.Channel != "" {
		key = domain.ChannelName(t.Channel).Key()
	}
	act, did := b.Operator.DropUndecodable, "dropped"
	if !t.Drop {
		act, did = func(ctx context.Context) (int, error) { return b.Operator.Requeue(ctx, key) }, "requeued"
	}
	n, err := act(ctx)
	if t.Channel != "" && n == 0 && err == nil {
		if _, err := b.Store.Channels.Get(ctx, key.Address()); errors.Is(err, domain.ErrNotFound) {
			return cannotRunError{fmt.Errorf("no channel %s", t.Channel)}
		}
	}
	fmt.Fprintf(console.stdout, "%s %d\n", did, n)
	return err
}
