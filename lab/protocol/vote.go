package protocol

import (
	"context"
	"errors"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The votes on posts, which no other table counts.

// vote votes on a post of the set-up.
func vote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) {
		target := given(c, key)
		c.Tell(lab.Fact{Kind: lab.Voting, Channel: target.Channel, Blog: target.Blog, User: by})
		if err := c.Store.Vote(ctx, target.Channel, target.Blog, by); err == nil {
			c.Tell(lab.Fact{Kind: lab.Voted, Channel: target.Channel, Blog: target.Blog, User: by})
		}
	}
}

// voteNewest is a vote of a set-up on the post that it just made. The facts that
// the set-up told have canonical names, which its own code does not know, so it
// reads the post.
func voteNewest(by domain.UserName) body {
	return onNewest(func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog) {
		_ = c.Store.Vote(ctx, channel.Ref(), post.ID, by) // nothing befalls a set-up
	})
}

// unvote removes a vote.
func unvote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) {
		target := given(c, key)
		c.Tell(lab.Fact{Kind: lab.Unvoting, Channel: target.Channel, Blog: target.Blog, User: by})
		if err := c.Store.Unvote(ctx, target.Channel, target.Blog, by); err == nil {
			c.Tell(lab.Fact{Kind: lab.Unvoted, Channel: target.Channel, Blog: target.Blog, User: by})
		}
	}
}

// mark compares the state with what was told about votes and subscriptions.
func mark(v lab.View, actor, at int, f lab.Fact, breach func(law, format string, args ...any)) {
	if f.Blog != "" && askedBlog(v, f.Blog) || asked(v, f.Channel) {
		return
	}
	voted := hasRow(v.DB, schema.TableBlogs, f.Channel, "vote!"+string(f.Blog)+"!"+string(f.User))
	subscribed := hasRow(v.DB, schema.TableBlogs, f.Channel, "sub!"+string(f.User))
	switch {
	case f.Kind == lab.Voted && !voted && !undone(v, actor, at, f, lab.Unvoting, lab.Unvoted):
		breach("I8", "an acknowledged vote is lost")
	case f.Kind == lab.Unvoted && voted && !undone(v, actor, at, f, lab.Voting, lab.Voted):
		breach("I8", "a vote counts, and its removal was acknowledged")
	case f.Kind == lab.Subscribed && !subscribed && !undone(v, actor, at, f, lab.Leaving, lab.Left):
		breach("I8", "an acknowledged subscription is lost")
	case f.Kind == lab.Left && subscribed && !undone(v, actor, at, f, lab.Joining, lab.Subscribed):
		breach("I8", "a user counts as a subscriber, and their leaving was acknowledged")
	}
}

// undone tells whether another request may have undone what f tells: one of another
// actor, a later one of the same actor, or an earlier one that was never answered
// and may still take effect. What the set-up did was answered before. sets and answered are
// the kinds of such a request.
func undone(v lab.View, actor, at int, f lab.Fact, sets, answered lab.Kind) (may bool) {
	open := false
	v.Each(func(a, i int, g lab.Fact) {
		if g.Channel != f.Channel || g.User != f.User || g.Blog != f.Blog {
			return
		}
		switch {
		case a == lab.SetupIndex && actor != lab.SetupIndex:
		case a != actor || i > at:
			may = may || g.Kind == sets
		case g.Kind == sets:
			open = true
		case g.Kind == answered:
			open = false
		}
	})
	return may || open
}

// votes are about votes.
func votes() []lab.Scenario {
	return []lab.Scenario{
		{
			Name: "votes-sweep", Slow: true, About: "a worker deletes the votes on a deleted post under the sweep of another", Faults: 1, Preemptions: 2,
			Setup:  inTurn(news("one", "two"), voteNewest(author), removeNewest, queueDeletion),
			Actors: []lab.Actor{worker1(), worker2()},
		},
		{
			Name: "vote-sweep", About: "a vote is given and another removed while the channel is being deleted", Faults: 2, Straggles: anything,
			Setup:  inTurn(news("old"), voteNewest(author), queueDeletion),
			Actors: []lab.Actor{{Name: "ann", Run: inTurn(vote("old", visitor), unvote("old", author))}, worker1()},
		},
		{
			Name: "vote", About: "one vote is given, and another given again and removed, while the post is deleted", Faults: 2, Straggles: anything,
			Setup: inTurn(news("old"), voteNewest(author)),
			Actors: []lab.Actor{
				{Name: "vera", Run: vote("old", visitor)}, {Name: "ann", Run: inTurn(vote("old", author), unvote("old", author))},
				{Name: "olga", Run: removePost("old", owner)}, worker1(),
			},
		},
		{
			Name: "vote-again", About: "two users vote and remove their votes, one votes again, and copies of the requests land late", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     news("old"),
			Actors: []lab.Actor{
				{Name: "vera", Run: inTurn(vote("old", visitor), unvote("old", visitor), vote("old", visitor))},
				{Name: "ann", Run: inTurn(vote("old", author), unvote("old", author))},
			},
		},
	}
}

// voteGuards are what keeps votes right.
func voteGuards() []lab.Scenario {
	return []lab.Scenario{
		ablate("vote-counted", "vote", "The row of a vote", "ratingOperations",
			"A vote inserts or deletes its own row in its transaction, so what stood already is refused and not counted again.",
			only("ann", countsStanding), unharmed, among("ann")),
	}
}

// countsStanding counts a vote although it stood already: it leaves out the vote's row and
// keeps what the vote adds to the rating.
func countsStanding() driver.Around {
	var counts driver.Around
	counts = func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		var failed *driver.OperationError
		if c.Method == driver.CallTransact && errors.As(err, &failed) && strings.HasPrefix(c.Operations[failed.Index].Row, "vote!") {
			return withoutOperation(ctx, c, failed.Index, func(ctx context.Context) error { return counts(ctx, c, next) })
		}
		return err
	}
	return counts
}
