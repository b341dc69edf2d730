package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
)

type channelCommand struct {
	Close closeChannelCommand `cmd:"" help:"Close a channel, which deletes it with all its posts. Readers lose it immediately. Until the deletion begins, an operator can undo it: the address of the channel leads them there."`
}

type closeChannelCommand struct {
	closeChannelTask `embed:""`
	operatorFlags    `embed:""`
}

// Run says until when an operator can undo it. A channel that is not there is an error that ends with exit status 2.
func (c closeChannelCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.closeChannelTask)
}

type closeChannelTask struct {
	Name channelName   `arg:"" help:"The name of the channel."`
	Undo time.Duration `default:"30s" within:"0s 5m" help:"How long an operator can undo it, up to 5m; 0 for not at all. With --admin, it is that of the server."`
}

func (closeChannelTask) command() string { return "channel close" }

func (t closeChannelTask) times() (channel, account time.Duration) { return t.Undo, 0 }

func (t closeChannelTask) do(ctx context.Context, b *backend, console *console) error {
	channel, err := b.Store.Deletions.Request(ctx, domain.ChannelName(t.Name).Key(), atCommandLine(), domain.Any[domain.Incarnation]())
	if errors.Is(err, domain.ErrNotFound) {
		return cannotRunError{fmt.Errorf("no channel %s", t.Name)}
	}
	if err != nil {
		return err
	}
	closed, err := b.Store.Deletions.Get(ctx, channel.Ref(), atCommandLine())
	if err != nil {
		return err
	}
	said, who := fmt.Sprintf("channel %s is closed", channel.Name), "an operator"
	if closed.ByOperator == "" {
		said, who = fmt.Sprintf("the owner of channel %s has deleted it before", channel.Name), "the owner"
	}
	printUndo(console, said, closed.State == domain.DeletionPending, closed.RequestedOn, closed.UndoableUntil, who)
	return nil
}
