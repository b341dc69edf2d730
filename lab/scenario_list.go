package lab

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage"
)

// news is a set-up: the channel with these posts, and another channel that no actor
// touches.
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

// queued is the set-up news, and the message of a web role that died right after it
// queued the deletion.
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
	_ = c.Store.Messages().Send(ctx, message.Encode()) // a set-up has no faults
}

// queuedPost is the set-up news, and the message of a web role that died right after
// it queued the deletion of the newest post.
func queuedPost(texts ...string) body {
	return func(ctx context.Context, c *Client) {
		news(texts...)(ctx, c)
		channel, err := c.Store.Channel(ctx, channelKey)
		if err != nil {
			return
		}
		page, err := c.Store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: 1})
		if err != nil || len(page.Items) == 0 {
			return
		}
		message := domain.Message{
			Kind: domain.MessageBlog, Channel: channel.Key(), Incarnation: channel.Incarnation, Name: channel.Name,
			By: owner, AskedOn: instant(), Blog: page.Items[0].ID, Revision: page.Items[0].Revision,
		}
		_ = c.Store.Messages().Send(ctx, message.Encode()) // a set-up has no faults
	}
}

// queuedUnread is the set-up news, and a message that no worker can read.
func queuedUnread(ctx context.Context, c *Client) {
	news("old")(ctx, c)
	_ = c.Store.Messages().Send(ctx, "not a message") // a set-up has no faults
}

// queueCopy sends every message on the queue once more.
func (c *Client) queueCopy(ctx context.Context) {
	messages, err := c.Store.Messages().Receive(ctx, 1, WorkerOptions().Lease)
	for _, m := range messages {
		err = errors.Join(err, c.Store.Messages().Send(ctx, m.Text))
	}
	_ = err
}

// accepted is the set-up news, and the accepted deletion of the channel.
func accepted(texts ...string) body {
	return func(ctx context.Context, c *Client) {
		news(texts...)(ctx, c)
		ask(ctx, c)
	}
}

func worker1() Actor { return Actor{Name: "w1", Run: work} }
func worker2() Actor { return Actor{Name: "w2", Run: work, After: "w1"} }
func worker3() Actor { return Actor{Name: "w3", Run: work, After: "w2"} }

// Scenarios are the situations in which the shipped code must break no law.
func Scenarios() []Scenario {
	list := slices.Concat(deletions(), poison(), reusedNames(), posts(), subscriptions(), accounts(), readers(), feeds(), crowds())
	for i := range list {
		if list[i].Laws == nil {
			list[i].Laws = Shipped{}
		}
	}
	return list
}

// poison is about work that the store refuses, so that its message is poisoned.
func poison() []Scenario {
	return []Scenario{
		{
			Name: "poison", About: "a deletion is refused, while the workers that poison its message die or get no answer", Faults: 2, Preemptions: 1, Slow: true,
			Setup: accepted("old"), Intercept: only("w", refused), Laws: Shipped{Copies: 1},
			Actors: []Actor{worker1(), worker2()},
		},
		{
			Name: "poison-post", About: "the same, of a post", Faults: 2, Preemptions: 1,
			Setup: queuedPost("old"), Intercept: only("w", refused), Laws: Shipped{Copies: 1},
			Actors: []Actor{worker1(), worker2()},
		},
		{
			Name: "poison-unread", About: "the same, of a message that no worker can read", Faults: 3,
			Setup: queuedUnread, Laws: Shipped{Copies: 1},
			Actors: []Actor{worker1(), worker2(), worker3()},
		},
	}
}

// deletions are about one incarnation of the channel.
func deletions() []Scenario {
	return []Scenario{
		{
			Name: "post", About: "somebody posts while the channel is being deleted", Faults: 2,
			Setup:  news("old"),
			Actors: []Actor{{Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "batch-sweep", About: "two posts are made with one request, one of them not for the first time, while the channel is being deleted", Faults: 2,
			Setup:  queued("old"),
			Actors: []Actor{{Name: "ann", Run: postAll(author, "old", "new")}, worker1()},
		},
		{
			Name: "workers-die", About: "three workers handle one deletion, and two of them may die at any step", Faults: 2, Deaths: true,
			Setup: accepted("old"), Preemptions: 2,
			Actors: []Actor{worker1(), worker2(), worker3()},
		},
		{
			Name: "sweeps", About: "two workers sweep one channel in several transactions, which may get lost or land late", Faults: 2,
			Setup: accepted("old"), Operations: 3, Straggles: sweeping, Preemptions: 1, Slow: true,
			Actors: []Actor{worker1(), worker2()},
		},
		{
			Name: "web-dies", About: "the web role dies during a request to delete, beside a reconciling pass", Faults: 2, Deaths: true,
			Setup:  news("old"),
			Actors: []Actor{{Name: "olga", Run: ask}, worker1(), {Name: "reconcile", Run: reconcile}},
		},
		{
			Name: "forgotten", About: "the queue may lose the message of a deletion", Faults: 1, Forgets: true,
			Setup:  news("old"),
			Actors: []Actor{{Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "index", About: "the web role or a worker dies, and the queue loses the message of a deletion, which the pass must find by the index of open deletions", Faults: 2, Forgets: true,
			Setup: news("old"), Laws: Shipped{AcceptedOnly: true}, Preemptions: 2,
			Actors: []Actor{{Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "index-pass", About: "the queue may lose the message of a deletion, beside a pass that tidies the index of open deletions", Faults: 1, Forgets: true, Preemptions: 3,
			Setup:  news("old"),
			Actors: []Actor{{Name: "olga", Run: ask}, worker1(), {Name: "reconcile", Run: reconcile}},
		},
		{
			Name: "edit-sweep", About: "one post is edited and another deleted under the sweep", Faults: 2, Straggles: anything,
			Setup: queued("one", "two"),
			Actors: []Actor{
				{Name: "ann", Run: edit("one", "other")}, {Name: "olga", Run: removePost("two", owner)}, worker1(),
			},
		},
		{
			Name: "votes-sweep", Slow: true, About: "a worker deletes the votes on a deleted post under the sweep of another", Faults: 1, Preemptions: 2,
			Setup: func(ctx context.Context, c *Client) {
				news("one", "two")(ctx, c)
				c.voteNewest(ctx, author)
				removeNewest(ctx, c)
				c.queueDeletion(ctx)
			},
			Actors: []Actor{worker1(), worker2()},
		},
		{
			Name: "vote-sweep", About: "a vote is given and another removed while the channel is being deleted", Faults: 2, Straggles: anything,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				c.voteNewest(ctx, author)
				c.queueDeletion(ctx)
			},
			Actors: []Actor{{Name: "ann", Run: inTurn(vote("old", visitor), unvote("old", author))}, worker1()},
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

// reusedNames are about a name that is taken again.
func reusedNames() []Scenario {
	return []Scenario{
		{
			Name: "creators", About: "two people create a channel of the same name", Faults: 3,
			Actors: []Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: create(channelName, visitor)}},
		},
		{
			Name: "create-late", About: "somebody posts as soon as a channel is seen, and its creator has given up", Faults: 2, Preemptions: 3,
			Straggles: anything,
			Actors:    []Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: post(visitor, "new")}},
		},
		{
			Name: "create-once", About: "a request to create a channel is sent twice with one idempotency key, and the channel is deleted meanwhile", Faults: 1, Preemptions: 2,
			Straggles: anything, Slow: true,
			Actors: []Actor{
				{Name: "olga", Run: inTurn(createOnce(owner, "key"), ask, createOnce(owner, "key"))},
				{Name: "olga2", Run: createOnce(owner, "key")}, worker1(),
			},
		},
		{
			Name: "create-delete", About: "a channel is deleted as soon as it is seen, while its creation is still under way", Faults: 2, Preemptions: 3, Slow: true,
			Actors: []Actor{{Name: "olga", Run: create(channelName, owner)}, {Name: "olga2", Run: ask}, worker1()},
		},
		{
			Name: "again", About: "the name is taken again while two workers handle its deletion, one of them late", Slow: true,
			Setup:  accepted("old"),
			Actors: []Actor{{Name: "ann", Run: createAndPost(author, "new")}, worker1(), worker2()},
		},
		{
			Name: "again-faults", About: "the name is taken again while two workers handle its deletion, with a fault", Slow: true, Faults: 1, Preemptions: 2,
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
			Name: "repeat", About: "what a later record says is asked for again, beside the owner, who deletes the channel and takes the name again", Faults: 1, Preemptions: 1,
			Setup:  news("old"),
			Actors: []Actor{{Name: "operator", Run: repeat()}, {Name: "olga", Run: inTurn(ask, createAndPost(owner, "new"))}, worker1()},
		},
		{
			Name: "stragglers", About: "requests of a creation and a deletion land long after their senders have gone on", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     accepted("old"),
			Actors:    []Actor{{Name: "ann", Run: createAndPost(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "stalled", About: "somebody creates a channel and stalls before posting to it, and requests land long after its deletion", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Actors:    []Actor{{Name: "olga", Run: createAndPost(owner, "new")}, {Name: "olga2", Run: ask}, worker1()},
		},
		staleForm(whatWasRead),
		{
			Name: "index-late", About: "a deletion ends beside a reconciling pass, the name is taken again, and a copy of what is written to the index lands late", Faults: 1, Preemptions: 2,
			Straggles: toIndex,
			Setup:     news("old"),
			Actors:    []Actor{{Name: "olga", Run: ask}, worker1(), {Name: "ann", Run: createAndPost(author, "new")}, {Name: "reconcile", Run: reconcile}},
		},
	}
}

// sweeping lets transactions of a sweep land late.
func sweeping(c *Call) bool {
	return c.Target == tableBlogs && len(c.Operations) > 1 && strings.HasPrefix(c.Operations[0].Row, "gate!shut!")
}

// toIndex lets calls land late that write to the index of open deletions.
func toIndex(c *Call) bool {
	return c.Method == Transact && c.Target == tableDeletions && strings.HasPrefix(c.Partition, openPrefix)
}

// staleForm is about readers whose forms are older than the channel that has the name.
func staleForm(accept accepting) Scenario {
	return Scenario{
		Name: "stale-form", About: "two people read a channel, its owner deletes it and creates it again, and then one of the two posts and the other subscribes", Faults: 1, Preemptions: 2, Slow: true,
		Straggles: anything,
		Setup:     news(),
		Actors: []Actor{
			{Name: "ann", Run: stalePost(author, accept)}, {Name: "vera", Run: staleSubscribe(visitor, accept)},
			{Name: "olga", Run: ask}, worker1(), {Name: "olga2", Run: create(channelName, owner)},
		},
	}
}

// posts are about posts of a channel that stays.
func posts() []Scenario {
	return []Scenario{
		{
			Name: "one-key", About: "a request to post is sent twice with one idempotency key while the post is deleted", Faults: 3, Straggles: anything,
			Setup: news(),
			Actors: []Actor{
				{Name: "ann", Run: post(author, "new")}, {Name: "ann2", Run: post(author, "new"), After: "ann"},
				{Name: "olga", Run: removeNewest},
			},
		},
		{
			Name: "batch", About: "a request to make two posts is sent twice, while one of their keys is used elsewhere and a post is deleted", Faults: 2, Straggles: anything,
			Setup: news(),
			Actors: []Actor{
				{Name: "ann", Run: postAll(author, "one", "two")}, {Name: "ann2", Run: postAll(author, "one", "two"), After: "ann"},
				{Name: "ann3", Run: post(author, "two")}, {Name: "olga", Run: removeNewest},
			},
		},
		{
			Name: "vote", About: "one vote is given, and another given again and removed, while the post is deleted", Faults: 2, Straggles: anything,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				c.voteNewest(ctx, author)
			},
			Actors: []Actor{
				{Name: "vera", Run: vote("old", visitor)}, {Name: "ann", Run: inTurn(vote("old", author), unvote("old", author))},
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
			Name: "vote-again", About: "two users vote and remove their votes, one votes again, and copies of the requests land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors: []Actor{
				{Name: "vera", Run: inTurn(vote("old", visitor), unvote("old", visitor), vote("old", visitor))},
				{Name: "ann", Run: inTurn(vote("old", author), unvote("old", author))},
			},
		},
	}
}

// subscriptions are about subscriptions to a channel that stays.
func subscriptions() []Scenario {
	return []Scenario{
		{
			Name: "subscribe-twice", About: "somebody subscribes in one window and unsubscribes in another", Faults: 2, Preemptions: 3,
			Setup: news("old"),
			Actors: []Actor{
				{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)},
			},
		},
		{
			Name: "subscribe-again", About: "somebody subscribes, leaves and subscribes again, and copies of the requests land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors: []Actor{
				{Name: "vera", Run: inTurn(subscribe(visitor), unsubscribe(visitor), subscribe(visitor))}, {Name: "feed", Run: feed(visitor)},
			},
		},
		{
			Name: "leave-late", About: "somebody subscribes and leaves, and copies of the requests land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors:    []Actor{{Name: "vera", Run: inTurn(subscribe(visitor), unsubscribe(visitor))}, {Name: "feed", Run: feed(visitor)}},
		},
		{
			Name: "subscribe-late", About: "somebody subscribes in one window and unsubscribes in another, and a request lands late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors: []Actor{
				{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)},
			},
		},
	}
}

// crowds have too many states to enter: they are explored by random walks.
func crowds() []Scenario {
	return []Scenario{{
		Name: "crowd", About: "everybody at once", Faults: 4, Walks: 20_000,
		Setup: news("one", "two"),
		Actors: []Actor{
			{Name: "ann", Run: post(author, "new")}, {Name: "ann2", Run: edit("one", "other")},
			{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: vote("one", visitor)},
			{Name: "olga", Run: removePost("two", owner)}, {Name: "olga2", Run: ask},
			{Name: "max", Run: createAndPost("max", "new")}, {Name: "reconcile", Run: reconcile},
			worker1(), worker2(), worker3(),
		},
	}}
}

// anything lets every call land late.
func anything(*Call) bool { return true }

// accounts are about sessions, sign-in links and digest addresses. Nothing expires in them.
func accounts() []Scenario {
	return []Scenario{
		{
			Name: "sign-out", About: "somebody signs in by a link and out again, and copies of the requests land late", Faults: 2,
			Straggles: anything,
			Setup:     account(visitor),
			Actors:    []Actor{{Name: "vera", Run: inTurn(makeLink(visitor), follow, signOut)}, {Name: "vera2", Run: endSessions(visitor)}},
		},
		{
			Name: "link", About: "two people follow one sign-in link", Faults: 3, Straggles: anything,
			Setup:  inTurn(account(visitor), makeLink(visitor)),
			Actors: []Actor{{Name: "vera", Run: follow}, {Name: "vera2", Run: follow, After: "vera"}},
		},
		{
			Name: "link-late", About: "somebody makes a sign-in link and follows it twice, and copies of the requests land late", Faults: 2,
			Straggles: anything,
			Setup:     account(visitor),
			Actors:    []Actor{{Name: "vera", Run: inTurn(makeLink(visitor), follow, follow)}},
		},
		{
			Name: "link-ended", About: "somebody follows a sign-in link while all sessions are ended", Faults: 3,
			Straggles: anything,
			Setup:     inTurn(account(visitor), makeLink(visitor)),
			Actors:    []Actor{{Name: "vera", Run: follow}, {Name: "vera2", Run: endSessions(visitor)}},
		},
		{
			Name: "digest-address", About: "a digest address is made and revoked twice, and copies of the requests land late", Faults: 2,
			Straggles: anything,
			Setup:     account(visitor),
			Actors: []Actor{
				{Name: "vera", Run: inTurn(newAddress(visitor), revokeAddress(visitor), newAddress(visitor), revokeAddress(visitor))},
				{Name: "vera2", Run: endSessions(visitor)},
			},
		},
	}
}
