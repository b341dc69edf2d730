package protocol

import (
	"context"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// The requests of clients, each as package web carries it out, and the worker. All
// are about one channel; one is enough, because a name has one channel at a time.
const (
	channelName domain.ChannelName = "News"
	channelKey  domain.ChannelKey  = "news"
	// aside is a channel that no actor touches. Its key starts with the key of the
	// other channel.
	aside domain.ChannelName = "News2"

	owner   domain.UserName = "olga"
	author  domain.UserName = "ann"
	visitor domain.UserName = "vera"
)

type body = func(ctx context.Context, c *lab.Client)

// acknowledged tells a fact if the request that it is about succeeded.
func acknowledged(c *lab.Client, err error, f lab.Fact) {
	if err == nil {
		c.Tell(f)
	}
}

// onChannel reads the channel, and goes on only if it can be read.
func onChannel(do func(ctx context.Context, c *lab.Client, channel domain.Channel)) body {
	return func(ctx context.Context, c *lab.Client) {
		if channel, err := c.Store.Channels.Get(ctx, channelKey.Address()); err == nil {
			do(ctx, c, channel)
		}
	}
}

// news is a set-up: the channel with these posts, and another channel that no actor touches. A row
// says who may post, so that no actor has to put one up.
func news(texts ...string) body {
	return func(ctx context.Context, c *lab.Client) {
		if other, ok := makeChannel(ctx, c, aside, owner, ""); ok {
			makePost(ctx, c, other, author, "aside")
		}
		channel, ok := makeChannel(ctx, c, channelName, owner, "")
		if !ok {
			return
		}
		if len(texts) == 0 { // the first post of another user puts it up as well
			_ = c.Store.Posts.SetRule(ctx, channel, owner, domain.PostersOpen)
		}
		for _, text := range texts {
			makePost(ctx, c, channel, author, text)
		}
	}
}

// anything lets every call take effect late.
func anything(*driver.Call) bool { return true }
