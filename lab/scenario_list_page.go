package lab

import "context"

// readers are about pages that a process keeps, and shows again while the channel has the
// version that they were read for.
func readers() []Scenario {
	return []Scenario{
		{
			Name: "page-edit", About: "a process keeps a page while the post on it is edited and voted on", Faults: 1, Preemptions: 3,
			Straggles: written,
			Setup:     news("old"),
			Actors: []Actor{
				reader(), {Name: "ann", Run: edit("old", "other")}, {Name: "vera", Run: vote("old", visitor)},
			},
		},
		{
			Name: "page-post", Slow: true, About: "two processes keep a page while somebody posts and a post is deleted", Faults: 1, Preemptions: 2,
			Setup: news("old"),
			Actors: []Actor{
				reader(), reader2(), {Name: "ann", Run: post(author, "new")}, {Name: "olga", Run: removePost("old", owner)},
			},
		},
		{
			Name: "page-worker", About: "a process keeps a page while a worker deletes the post on it", Faults: 1,
			Setup:  queuedPost("old"),
			Actors: []Actor{reader(), {Name: "vera", Run: vote("old", visitor)}, worker1()},
		},
		{
			Name: "page-deletion", Slow: true, About: "a process keeps a page while the channel is deleted and its name taken again", Faults: 1, Preemptions: 2,
			Setup: news("old"),
			Actors: []Actor{
				backwards(reader()), {Name: "olga", Run: ask}, worker1(), {Name: "ann", Run: createAndPost(author, "new")},
			},
		},
		{
			Name: "page-subscribers", About: "a process keeps a page while a subscription ends", Faults: 1, Preemptions: 3,
			Straggles: written,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				subscribe(visitor)(ctx, c)
			},
			Actors: []Actor{reader(), {Name: "vera", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed(visitor)}},
		},
	}
}

// feeds are about what the feed of a user shows.
func feeds() []Scenario {
	return []Scenario{
		{
			Name: "feed-deletion", About: "a feed is read while its channel is deleted, in either order of the reads that are made at once", Faults: 1, Preemptions: 2,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				subscribe(visitor)(ctx, c)
			},
			Actors: []Actor{feedReader(), backwards(feedReader2()), {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "feed-leave", About: "a feed is read while its reader unsubscribes and somebody posts", Faults: 1, Preemptions: 2,
			Setup: func(ctx context.Context, c *Client) {
				news("old")(ctx, c)
				subscribe(visitor)(ctx, c)
			},
			Actors: []Actor{feedReader(), backwards(feedReader2()), {Name: "vera", Run: unsubscribe(visitor)}, {Name: "ann", Run: post(author, "new")}},
		},
	}
}

// feedReader and feedReader2 look at the feed of the visitor, at a short page and at a long one.
func feedReader() Actor  { return Actor{Name: "reader", Run: lookAtFeed(visitor, shortFeed)} }
func feedReader2() Actor { return Actor{Name: "reader2", Run: lookAtFeed(visitor, longFeed)} }

// reader looks at a page twice, in one process.
func reader() Actor { return Actor{Name: "reader", Run: look(2, versionFirst)} }

// reader2 does the same in another process.
func reader2() Actor { return backwards(Actor{Name: "reader2", Run: look(2, versionFirst)}) }

// backwards makes an actor read the other rows before the channel's row, with which they are
// read at once.
func backwards(a Actor) Actor {
	a.LastFirst = true
	return a
}

// written lets every call land late that changes rows of the channel.
func written(c *Call) bool { return c.Target == tableBlogs }
