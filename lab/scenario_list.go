package lab

import (
	"context"
	"errors"

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

// queueCopy sends every message on the queue once more.
func (c *Client) queueCopy(ctx context.Context) {
	messages, err := c.Store.Messages().Receive(ctx, 1, WorkerOptions().Lease)
	for _, m := range messages {
		err = errors.Join(err, c.Store.Messages().Send(ctx, m.Text))
	}
	_ = err
}

// accepted is the set-up news, whose deletion was accepted.
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
	list := append(append(deletions(), lives()...), posts()...)
	list = append(list, crowds()...)
	for i := range list {
		list[i].Laws = Shipped{}
	}
	return list
}

// deletions are about one life of the channel.
func deletions() []Scenario {
	return []Scenario{
		{
			Name: "post", About: "somebody posts while the channel is being deleted", Faults: 2,
			Setup:  news("old"),
			Actors: []Actor{{Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "workers-die", About: "three workers are at one deletion, and two of them may die at any step", Faults: 2, Deaths: true,
			Setup: accepted("old"), Preemptions: 2,
			Actors: []Actor{worker1(), worker2(), worker3()},
		},
		{
			Name: "web-dies", About: "the web role dies on its way through a request to delete, beside a reconciling pass", Faults: 2, Deaths: true,
			Setup:  news("old"),
			Actors: []Actor{{Name: "olga", Run: ask}, worker1(), {Name: "reconcile", Run: sweep}},
		},
		{
			Name: "forgotten", About: "the queue may lose the message of a deletion", Faults: 1, Forgets: true,
			Setup:  news("old"),
			Actors: []Actor{{Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "edit-sweep", About: "one post is edited and another deleted under the sweep", Faults: 2, Straggles: anything,
			Setup: queued("one", "two"),
			Actors: []Actor{
				{Name: "ann", Run: edit("one", "other")}, {Name: "olga", Run: removePost("two", owner)}, worker1(),
			},
		},
		{
			Name: "subscribe", About: "somebody subscribes while the channel is being deleted", Faults: 2, Straggles: anything,
			Setup:  queued("old"),
			Actors: []Actor{{Name: "vera", Run: subscribe(visitor)}, worker1()},
		},
		{
			Name: "unsubscribe", About: "a subscription ends while the channel is being deleted", Faults: 2,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				subscribe(visitor)(ctx, c)
				c.queueDeletion(ctx)
			},
			Actors: []Actor{{Name: "vera", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)}, worker1()},
		},
	}
}

// lives are about a name that is taken again.
func lives() []Scenario {
	return []Scenario{
		{
			Name: "creators", About: "two people create a channel of the same name", Faults: 3,
			Actors: []Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: create(channelName, visitor)}},
		},
		{
			Name: "create-late", About: "somebody posts as soon as a channel is seen, whose creator has given up", Faults: 2, Preemptions: 3,
			Straggles: anything,
			Actors:    []Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: post(visitor, "new")}},
		},
		{
			Name: "create-delete", About: "a channel is deleted as soon as it is seen, while its creation is still under way", Faults: 2, Preemptions: 3, Slow: true,
			Actors: []Actor{{Name: "olga", Run: create(channelName, owner)}, {Name: "olga2", Run: ask}, worker1()},
		},
		{
			Name: "again", About: "the name is taken again while two workers are at its deletion, of which one is late", Slow: true,
			Setup:  accepted("old"),
			Actors: []Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()},
		},
		{
			Name: "again-faults", About: "the same, with a fault", Slow: true, Faults: 1, Preemptions: 2,
			Setup:  accepted("old"),
			Actors: []Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()},
		},
		{
			Name: "redelivered", About: "a copy of the message is delivered after everything is done and the name is taken again", Faults: 1, Preemptions: 1,
			Setup: func(ctx context.Context, c *Client) {
				accepted("old")(ctx, c)
				c.queueCopy(ctx)
			},
			Actors: []Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()},
		},
		{
			Name: "stragglers", About: "requests of a creation and a deletion land when everybody has long gone on", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     accepted("old"),
			Actors:    []Actor{{Name: "ann", Run: createAndPost(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "stalled", About: "somebody creates a channel and stalls before posting to it, and requests land when it is long deleted", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Actors:    []Actor{{Name: "olga", Run: createAndPost(owner, "new")}, {Name: "olga2", Run: ask}, worker1()},
		},
	}
}

// posts are about posts of a channel that stays.
func posts() []Scenario {
	return []Scenario{
		{
			Name: "one-key", About: "a request to post is sent twice with one idempotency key, and the post is deleted meanwhile", Faults: 3, Straggles: anything,
			Setup: news(),
			Actors: []Actor{
				{Name: "ann", Run: post(author, "new")}, {Name: "ann2", Run: post(author, "new"), After: "ann"},
				{Name: "olga", Run: removeNewest},
			},
		},
		{
			Name: "vote", About: "a vote is given and another taken back while the post is deleted", Faults: 2, Straggles: anything,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				c.voteNewest(ctx, author)
			},
			Actors: []Actor{
				{Name: "vera", Run: vote("old", visitor)}, {Name: "ann", Run: unvote("old", author)},
				{Name: "olga", Run: removePost("old", owner)}, worker1(),
			},
		},
		{
			Name: "edit-vote", About: "a post is edited, voted on and deleted", Faults: 2,
			Setup: news("old"),
			Actors: []Actor{
				{Name: "ann", Run: edit("old", "other")}, {Name: "vera", Run: vote("old", visitor)},
				{Name: "olga", Run: removePost("old", owner)}, worker1(),
			},
		},
		{
			Name: "subscribe-twice", About: "somebody subscribes in one window and unsubscribes in another", Faults: 2, Preemptions: 3,
			Setup: news(),
			Actors: []Actor{
				{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)},
			},
		},
		{
			Name: "subscribe-again", About: "somebody subscribes, leaves and subscribes again, and copies of it all land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news(),
			Actors: []Actor{
				{Name: "vera", Run: inTurn(subscribe(visitor), unsubscribe(visitor), subscribe(visitor))}, {Name: "feed", Run: feed(visitor)},
			},
		},
		{
			Name: "leave-late", About: "somebody subscribes and leaves, and copies of it all land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news(),
			Actors:    []Actor{{Name: "vera", Run: inTurn(subscribe(visitor), unsubscribe(visitor))}, {Name: "feed", Run: feed(visitor)}},
		},
		{
			Name: "vote-again", About: "somebody votes, takes it back and votes again, while another does, and copies of it all land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors: []Actor{
				{Name: "vera", Run: inTurn(vote("old", visitor), unvote("old", visitor), vote("old", visitor))},
				{Name: "ann", Run: inTurn(vote("old", author), unvote("old", author))},
			},
		},
		{
			Name: "subscribe-late", About: "the same, and a request lands when everybody has gone on", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news(),
			Actors: []Actor{
				{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)},
			},
		},
	}
}

// crowds are too many for all their states: runs are drawn at random.
func crowds() []Scenario {
	return []Scenario{{
		Name: "crowd", About: "everybody at once", Faults: 4, Walks: 20_000,
		Setup: news("one", "two"),
		Actors: []Actor{
			{Name: "ann", Run: post(author, "new")}, {Name: "ann2", Run: edit("one", "other")},
			{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: vote("one", visitor)},
			{Name: "olga", Run: removePost("two", owner)}, {Name: "olga2", Run: ask},
			{Name: "max", Run: createAndPost("max", "new")}, {Name: "reconcile", Run: sweep},
			worker1(), worker2(), worker3(),
		},
	}}
}

// anything may land late.
func anything(*Call) bool { return true }
