package lab

import (
	"context"

	"microblogging/domain"
)

// news is a set-up: the channel with these posts, and another that nobody means
// to touch.
func news(texts ...string) body {
	return func(ctx context.Context, c *Client) {
		if other, ok := c.create(ctx, aside, owner); ok {
			c.post(ctx, other, author, "aside")
		}
		channel, ok := c.create(ctx, channelName, owner)
		if !ok {
			return
		}
		for _, text := range texts {
			c.post(ctx, channel, author, text)
		}
	}
}

// queued is the set-up news, whose deletion a web role asked for that died right
// after it had queued the message.
func queued(texts ...string) body {
	return func(ctx context.Context, c *Client) {
		news(texts...)(ctx, c)
		c.queueDeletion(ctx)
	}
}

func (c *Client) queueDeletion(ctx context.Context) {
	channel, err := c.Store.Channel(ctx, channelKey)
	if err != nil {
		return
	}
	message := domain.Message{
		Kind: domain.MessageChannel, Channel: channel.Key(), Incarnation: channel.Incarnation,
		Name: channel.Name, By: owner, AskedOn: instant(),
	}
	_ = c.Store.Messages().Send(ctx, message.Encode()) // nothing befalls a set-up
}

// asked is the set-up news, whose deletion was accepted.
func accepted(texts ...string) body {
	return func(ctx context.Context, c *Client) {
		news(texts...)(ctx, c)
		ask(ctx, c)
	}
}

func worker1() Actor { return Actor{Name: "w1", Run: work} }
func worker2() Actor { return Actor{Name: "w2", Run: work, After: "w1"} }
func worker3() Actor { return Actor{Name: "w3", Run: work, After: "w2"} }

// Scenarios are the situations in which what ships must hold.
func Scenarios() []Scenario {
	list := []Scenario{
		{
			Name: "post", About: "somebody posts while the channel is deleted", Faults: 1,
			Setup:  news("old"),
			Actors: []Actor{{Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "again", About: "the name is taken again while two workers are at its deletion, of which one is late", Faults: 1,
			Setup:  accepted("old"),
			Actors: []Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()},
		},
		{
			Name: "creators", About: "two people create a channel of the same name", Faults: 2,
			Actors: []Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: create(channelName, visitor)}},
		},
	}
	for i := range list {
		if list[i].Laws == nil {
			list[i].Laws = Shipped{}
		}
	}
	return list
}
