package protocol

import (
	"context"
	"slices"
	"strings"

	"microblogging/lab"
)

// The feed of a user, as it is shown.

// factFed: the user's feed has shown the posts on Page. It is the answer to what the actor was
// looking for. Channel is empty if there are none.
const factFed lab.Kind = "(fed)"

// The lengths of a page of a feed: one that reads the texts of all posts that it finds, and one
// that reads first which posts there are.
const (
	shortFeed = 10
	longFeed  = 100
)

// lookAtFeed looks at a page of the feed of the visitor, who subscribes to one channel.
func lookAtFeed(limit int) body {
	return looking(1, func(ctx context.Context, c *lab.Client, _ shelf) (lab.Fact, error) {
		page, err := c.Store.Feeds.List(ctx, visitor, "", limit)
		told := lab.Fact{Kind: factFed, User: visitor}
		var ids []string
		for _, item := range page.Items {
			told.Channel, ids = item.Channel, append(ids, string(item.ID))
		}
		told.Page, told.Words = strings.Join(ids, "\n"), lab.Count(len(ids), "post")
		return told, err
	})
}

// feedReader and feedReader2 look at the feed of the visitor, at a short page and at a long one.
func feedReader() lab.Actor { return lab.Actor{Name: "reader", Run: lookAtFeed(shortFeed)} }

func feedReader2() lab.Actor { return lab.Actor{Name: "reader2", Run: lookAtFeed(longFeed)} }

// fed compares what a feed has shown with what was acknowledged before its reader asked for
// it.
func fed(v lab.View, f lab.Known, before []lab.Known, violation violating) {
	for _, k := range before {
		violation.when(k.Kind == factLeft && k.Channel == f.Channel && k.User == f.User && !undone(v, k, factJoining, factSubscribed),
			"I8", "a feed shows a channel that its reader had left before")
	}
	shows(v, before, violation, "a feed", func(k lab.Known) (channel, post, due bool) {
		follows := func(s lab.Known) bool { // certainly
			return s.Kind == factSubscribed && s.User == f.User && s.Channel == k.Channel && !undone(v, s, factLeaving, factLeft)
		}
		return k.Channel == f.Channel, slices.Contains(strings.Fields(f.Page), string(k.Blog)), slices.ContainsFunc(before, follows)
	})
}

// feeds are read.
func feeds() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "feed-deletion", About: "a feed is read while its channel is deleted, in either order of the concurrent reads",
				Faults: 1, Preemptions: 2, Setup: lab.InTurn(news("old"), subscribe(visitor)),
				Actors: []lab.Actor{feedReader(), backwards(feedReader2()), {Name: "olga", Run: ask}, worker1()}},
			{Name: "feed-leave", About: "a feed is read while its reader unsubscribes and another user posts",
				Faults: 1, Preemptions: 2, Setup: lab.InTurn(news("old"), subscribe(visitor)),
				Actors: []lab.Actor{
					feedReader(), backwards(feedReader2()), {Name: "vera", Run: unsubscribe(visitor)}, {Name: "ann", Run: post(author, "new")},
				}},
		},
		ablations: []ablation{
			ablate("feed-channel", "feed-deletion", "The mark in a feed", "(*Subscriptions).repairSubscription: !s.fence.Leaving.Readable(channel.Channel)",
				"A feed reads the row of each channel that it shows, after its posts, so a channel whose deletion was accepted is on no page.",
				only("reader", takenForActive()), unharmed, among("reader", "olga")),
		},
		told: map[lab.Kind]invariant{factFed: looked(fed)},
	}
}
