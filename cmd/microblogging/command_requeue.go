package main

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage"
)

type requeueCommand struct {
	storageFlags `embed:""`
	Channel      string `placeholder:"NAME" help:"Requeue only the deletions of this channel and of its posts."`
}

// Run puts poisoned messages back on the queue.
func (c requeueCommand) Run(ctx context.Context, console *console) error {
	var key domain.ChannelKey
	if c.Channel != "" {
		name, err := domain.ParseChannelName(c.Channel)
		if err != nil {
			return badName("--channel", err)
		}
		key = name.Key()
	}
	if err := c.mustExist(); err != nil {
		return err
	}
	return c.use(ctx, func(store *storage.Store) error {
		n, err := store.Requeue(ctx, key)
		fmt.Fprintf(console.stdout, "requeued %d\n", n)
		return err
	})
}
