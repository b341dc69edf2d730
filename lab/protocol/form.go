package protocol

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/schema"
)

// A form that is older than the channel that has the name by now.

// accepting says which incarnations a request accepts from a user who has read this one.
type accepting func(read domain.ChannelRef) domain.ChannelAddress

func anyIncarnation(read domain.ChannelRef) domain.ChannelAddress { return read.Key.Address() }

// stale reads the incarnation, and later sends a request that was made for what was read. It
// tells what the request was answered as an answer about that.
func stale(by domain.UserName, accept accepting, done lab.Kind,
	send func(ctx context.Context, c *lab.Client, now domain.Channel) (domain.BlogID, error),
) body {
	return onChannel(func(ctx context.Context, c *lab.Client, read domain.Channel) {
		c.Tell(lab.Fact{Kind: lab.Reading, Channel: read.Ref(), User: by})
		now, err := c.Store.Channels.Get(ctx, accept(read.Ref()))
		var id domain.BlogID
		if err == nil {
			id, err = send(ctx, c, now)
		}
		switch {
		case err == nil:
			c.Tell(lab.Fact{Kind: done, Channel: read.Ref(), Blog: id, User: by})
		case errors.Is(err, domain.ErrGone), errors.Is(err, domain.ErrNotFound):
			c.Tell(lab.Fact{Kind: factRefused, Channel: read.Ref()})
		}
	})
}

// stalePost posts to the channel that was read before.
func stalePost(by domain.UserName, accept accepting) body {
	return stale(by, accept, factPosted, func(ctx context.Context, c *lab.Client, now domain.Channel) (domain.BlogID, error) {
		blog, _, err := c.Store.Posts.Create(ctx, storage.NewPost{
			Channel: now, By: by, Key: "stale", Draft: domain.Draft{Text: "stale"}, CreatedOn: lab.Instant()})
		return blog.ID, err
	})
}

// staleSubscribe subscribes to the channel that was read before.
func staleSubscribe(by domain.UserName, accept accepting) body {
	return stale(by, accept, factSubscribed, func(ctx context.Context, c *lab.Client, now domain.Channel) (domain.BlogID, error) {
		return "", c.Store.Subscriptions.Create(ctx, now, by)
	})
}

// misplaced is the part of I2 about users who have read an incarnation: what they sent
// since is in no other, acknowledged or not.
func misplaced(_ Shipped, v lab.View, violation violating) {
	for f := range v.Facts() {
		if f.Kind != lab.Reading {
			continue
		}
		found := func(what, incarnation string) {
			if incarnation != string(f.Channel.Incarnation) {
				violation("I2", "%s of %s was made for %s, and is found in %s", what, f.User, string(f.Channel.Incarnation), incarnation)
			}
		}
		for row := range v.DB.Rows(schema.TableBlogs) {
			switch {
			case row.Partition != string(f.Channel.Key):
			case row.Row == "sub!"+string(f.User):
				found("a subscription", incarnationOf(schema.TableBlogs, row))
			case row.Properties.String("UserId") == string(f.User):
				found("a post", incarnationOf(schema.TableBlogs, row))
			}
		}
		for row := range v.DB.Rows(schema.TableSubscriptions) {
			if row.Partition == string(f.User) {
				found("a feed's row", incarnationOf(schema.TableSubscriptions, row))
			}
		}
	}
}

// staleForm is who reads a channel, and sends a form later.
func staleForm(accept accepting) []lab.Actor {
	return []lab.Actor{
		{Name: "ann", Run: stalePost(author, accept)}, {Name: "vera", Run: staleSubscribe(visitor, accept)},
		{Name: "olga", Run: ask}, worker1(), {Name: "olga2", Run: create(channelName, owner)},
	}
}

// forms may be older than the channel that has the name.
func forms() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "stale-form", About: "two people read a channel, its owner deletes it and creates it again, and then one of the two posts and the other subscribes",
				Faults: 1, Preemptions: 1, DelayedCalls: anything, Setup: news(), Actors: staleForm(domain.ChannelRef.Address)},
		},
		ablations: []ablation{
			ablate("expected", "stale-form", "What was read", "ReadActive: !at.Expected.Holds(row.Incarnation)",
				"A form names the incarnation that it was made for, so what a user sends takes effect in the channel that they saw, or nowhere.",
				nil, unharmed, func(s *lab.Scenario) { s.Actors = staleForm(anyIncarnation) }, unbounded, among("ann", "olga", "w1", "olga2")),
		},
		always: []func(Shipped, lab.View, violating){misplaced},
	}
}
