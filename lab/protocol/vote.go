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

const (
	// factVoted: the user's vote counts.
	factVoted lab.Kind = "voted"
	// factUnvoted: the user's vote does not count.
	factUnvoted lab.Kind = "(vote removed)"
	// factVoting and factUnvoting: the actor votes, or removes a vote.
	factVoting   lab.Kind = "(voting)"
	factUnvoting lab.Kind = "(removing a vote)"
)

// vote votes on a post of the set-up.
func vote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) {
		target := given(c, key)
		c.Tell(lab.Fact{Kind: factVoting, Channel: target.Channel, Blog: target.Blog, User: by})
		err := c.Store.Posts.Vote(ctx, target.Channel, target.Blog, by)
		acknowledged(c, err, lab.Fact{Kind: factVoted, Channel: target.Channel, Blog: target.Blog, User: by})
	}
}

// voteNewest is a vote of a set-up on the post that it just made. The facts that
// the set-up told have canonical names, which its own code does not know, so it
// reads the post.
func voteNewest(by domain.UserName) body {
	return onNewest(func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog) {
		_ = c.Store.Posts.Vote(ctx, channel.Ref(), post.ID, by) // no call of a set-up fails
	})
}

// unvote removes a vote.
func unvote(key string, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) {
		target := given(c, key)
		c.Tell(lab.Fact{Kind: factUnvoting, Channel: target.Channel, Blog: target.Blog, User: by})
		err := c.Store.Posts.Unvote(ctx, target.Channel, target.Blog, by)
		acknowledged(c, err, lab.Fact{Kind: factUnvoted, Channel: target.Channel, Blog: target.Blog, User: by})
	}
}

// counts makes the invariant of a mark that is set or taken away: a vote, or a subscription. row is
// the key of the row that is there while it is set. An answer of the kind answered, to a request
// that sets, may undo what was told.
func counts(set bool, row func(lab.Fact) string, sets, answered lab.Kind, detail string) invariant {
	return func(v lab.View, k lab.Known, violation violating) {
		if k.Blog != "" && askedBlog(v, k.Blog) || doomed(v, k.Channel) {
			return
		}
		if hasRow(v.DB, k.Channel, row(k.Fact)) != set && !undone(v, k, sets, answered) {
			violation("I8", "%s", detail)
		}
	}
}

func voteRow(f lab.Fact) string { return "vote!" + string(f.Blog) + "!" + string(f.User) }

// undone reports whether another request may have undone what f tells: one of another
// actor, a later one of the same actor, or an earlier one that was never answered
// and may still take effect. What the set-up did was answered before. sets and answered are
// the kinds of such a request.
func undone(v lab.View, f lab.Known, sets, answered lab.Kind) (may bool) {
	open := false
	for k := range v.Facts() {
		switch {
		case k.Channel != f.Channel || k.User != f.User || k.Blog != f.Blog:
		case k.Actor == lab.SetupIndex && f.Actor != lab.SetupIndex:
		case k.Actor != f.Actor || k.At > f.At:
			may = may || k.Kind == sets
		case k.Kind == sets:
			open = true
		case k.Kind == answered:
			open = false
		}
	}
	return may || open
}

// votes are given and removed.
func votes() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "votes-sweep", About: "a worker deletes the votes on a deleted post under the sweep of another",
				Faults: 1, Preemptions: 2, Setup: lab.InTurn(news("one", "two"), voteNewest(author), removeNewest, queueDeletion),
				Actors: []lab.Actor{worker1(), worker2()}},
			{Name: "vote-sweep", About: "a vote is given and another removed while the channel is being deleted",
				Faults: 2, DelayedCalls: anything, Setup: lab.InTurn(news("old"), voteNewest(author), queueDeletion),
				Actors: []lab.Actor{{Name: "ann", Run: lab.InTurn(vote("old", visitor), unvote("old", author))}, worker1()}},
			{Name: "vote", About: "one vote is given, and another given again and removed, while the post is deleted",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: lab.InTurn(news("old"), voteNewest(author)),
				Actors: []lab.Actor{
					{Name: "vera", Run: vote("old", visitor)}, {Name: "ann", Run: lab.InTurn(vote("old", author), unvote("old", author))},
					{Name: "olga", Run: removePost("old", owner)}, worker1(),
				}},
			{Name: "vote-again", About: "two users vote and remove their votes, one votes again, and delayed duplicates of the requests arrive",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "vera", Run: lab.InTurn(vote("old", visitor), unvote("old", visitor), vote("old", visitor))},
					{Name: "ann", Run: lab.InTurn(vote("old", author), unvote("old", author))},
				}},
		},
		ablations: []ablation{
			ablate("vote-counted", "vote", "The row of a vote", "ratingOperations: vote,",
				"A vote inserts or deletes its own row in its transaction, so a vote that exists already is refused and not counted again.",
				only("ann", countsStanding), unharmed, among("ann")),
			ablate("voted-first", "vote", "The voter's list first", "(*Posts).Vote: s.lists.ListVote(ctx, ref, id, by)",
				"A post is put on the list of its voter before the vote is there, so no vote is missing there, whichever process dies.",
				only("vera", after(writesTo(schema.TableBlogs), isToList)), among("vera"), reordered),
		},
		told: map[lab.Kind]invariant{
			factVoted:   outlived(counts(true, voteRow, factUnvoting, factUnvoted, "an acknowledged vote is lost")),
			factUnvoted: counts(false, voteRow, factVoting, factVoted, "a vote counts, and its removal was acknowledged"),
		},
		recalled: []lab.Kind{factVoted},
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
