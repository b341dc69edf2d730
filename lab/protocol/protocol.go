package protocol

import (
	"context"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
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

// onChannel reads the channel, and goes on only if it can be read.
func onChannel(do func(ctx context.Context, c *lab.Client, channel domain.Channel)) body {
	return func(ctx context.Context, c *lab.Client) {
		if channel, err := c.Store.Channel(ctx, channelKey); err == nil {
			do(ctx, c, channel)
		}
	}
}

// inTurn runs bodies one after the other.
func inTurn(bodies ...body) body {
	return func(ctx context.Context, c *lab.Client) {
		for _, do := range bodies {
			do(ctx, c)
		}
	}
}

// news is a set-up: the channel with these posts, and another channel that no actor
// touches.
func news(texts ...string) body {
	return func(ctx context.Context, c *lab.Client) {
		if other, ok := makeChannel(ctx, c, aside, owner); ok {
			makePost(ctx, c, other, author, "aside")
		}
		channel, ok := makeChannel(ctx, c, channelName, owner)
		if !ok {
			return
		}
		for _, text := range texts {
			makePost(ctx, c, channel, author, text)
		}
	}
}

// anything lets every call land late.
func anything(*lab.Call) bool { return true }

// Scenarios are the situations in which the shipped code must break no law.
func Scenarios() []lab.Scenario {
	list := slices.Concat(posts(), votes(), subscriptions(), feeds(), pages(), creations(), []lab.Scenario{staleForm(whatWasRead)},
		deletions(), reconciliations(), poisons(), repairs(), accounts(), passwords(), crowds())
	for i := range list {
		if list[i].Laws == nil {
			list[i].Laws = Shipped{}
		}
	}
	return list
}

// Ablations are the guards of the protocol, each taken out of one scenario. One of them is a
// premise and no guard of ours: that an ETag never repeats.
func Ablations() []lab.Scenario {
	return slices.Concat(postGuards(), voteGuards(), subscriptionGuards(), feedGuards(), pageGuards(), creationGuards(),
		formGuards(), deletionGuards(), indexGuards(), poisonGuards(), accountGuards(), passwordGuards())
}

// crowds have too many states to enter: they are explored by random walks.
func crowds() []lab.Scenario {
	return []lab.Scenario{
		{
			Name: "crowd", About: "everybody at once", Faults: 4, Walks: 12_000,
			Setup: news("one", "two"),
			Actors: []lab.Actor{
				{Name: "ann", Run: post(author, "new"), Ahead: 2}, {Name: "ann2", Run: edit("one", "other")},
				{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: vote("one", visitor)},
				{Name: "olga", Run: removePost("two", owner)}, {Name: "olga2", Run: ask, Ahead: 4},
				{Name: "max", Run: createAndPost("max", "new")}, {Name: "reconcile", Run: reconcile}, {Name: "operator", Run: inTurn(repair, requeue)},
				worker1(), worker2(), worker3(),
			},
		},
	}
}
