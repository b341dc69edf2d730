package protocol

import (
	"context"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Subscriptions, whose two rows lie in two tables.

const (
	// factSubscribed: the user subscribes.
	factSubscribed lab.Kind = "subscribed"
	// factLeft: the user does not subscribe.
	factLeft lab.Kind = "(left)"
	// factJoining and factLeaving: the actor subscribes, or ends a subscription.
	factJoining lab.Kind = "(subscribing)"
	factLeaving lab.Kind = "(leaving)"
)

// subscribe subscribes to the channel.
func subscribe(by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		c.Tell(lab.Fact{Kind: factJoining, Channel: channel.Ref(), User: by})
		acknowledged(c, c.Store.Subscriptions.Create(ctx, channel, by), lab.Fact{Kind: factSubscribed, Channel: channel.Ref(), User: by})
	})
}

// unsubscribe ends a subscription.
func unsubscribe(by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		c.Tell(lab.Fact{Kind: factLeaving, Channel: channel.Ref(), User: by})
		acknowledged(c, c.Store.Subscriptions.Delete(ctx, channel.Ref(), by), lab.Fact{Kind: factLeft, Channel: channel.Ref(), User: by})
	})
}

// feed reads the subscriptions of the visitor, which removes those left half done.
func feed(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Subscriptions.ListAll(ctx, visitor) // the invariants look at what it leaves
}

func subscriptionRow(f lab.Fact) string { return "sub!" + string(f.User) }

// uncounted is I8 of subscriptions, once each feed was read: a user who has a
// subscription counts as a subscriber of the channel.
func uncounted(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	for row := range v.DB.Rows(schema.TableSubscriptions) {
		key, incarnation, _ := strings.Cut(row.Row, "!")
		ref := domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}
		if _, live := channelRow(v.DB, ref); !live || row.Properties.String("State") != "joined" {
			continue // no page shows it
		}
		if !hasRow(v.DB, ref, "sub!"+row.Partition) {
			violation("I8", "%s has a subscription and does not count as a subscriber", row.Partition)
		}
	}
}

// unsubscribed is I8 of feeds: a feed shows no channel in whose partition its user has no
// sub! row.
func unsubscribed(ctx context.Context, l Shipped, c *crew, _ lab.View, violation violating) {
	reader := storage.New(c.db, storage.Options{Pause: lab.NoPause, Around: []driver.Around{l.Readers}})
	for row := range c.db.Snapshot().Rows(schema.TableSubscriptions) {
		feed, err := reader.Feeds.List(ctx, domain.UserName(row.Partition), "", feedLimit)
		if err != nil {
			violation("I8", "reading the feed of %s: %v", row.Partition, err)
		}
		for _, item := range feed.Items {
			if !hasRow(c.db.Snapshot(), item.Channel, "sub!"+row.Partition) {
				violation("I8", "the feed of %s shows a post of a channel that %s does not subscribe to", row.Partition, row.Partition)
			}
		}
	}
}

// feedLimit is more than the posts of one run.
const feedLimit = 100

// trustful finds a sub! row of everybody in each channel.
func trustful(ctx context.Context, c *driver.Call, next following) error {
	if c.Method != driver.CallGet || c.Target != schema.TableBlogs || !strings.HasPrefix(c.Row, "sub!") {
		return next(ctx)
	}
	row := c.Row
	c.Target, c.Row = schema.TableChannels, ""
	err := next(ctx)
	c.Entity.Row = row
	return err
}

// readFeeds reads the list of every subscriber, which removes what a crash left
// half done.
func readFeeds(ctx context.Context, _ Shipped, c *crew, _ lab.View, violation violating) {
	for row := range c.db.Snapshot().Rows(schema.TableSubscriptions) {
		if _, err := c.store.Subscriptions.ListAll(ctx, domain.UserName(row.Partition)); err != nil {
			violation("I8", "reading the feed of %s: %v", row.Partition, err)
		}
	}
}

// subscriptions begin and end.
func subscriptions() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "subscribe", About: "a user subscribes while the channel is being deleted",
				Faults: 2, DelayedCalls: anything, Setup: queued("old"), Actors: []lab.Actor{{Name: "vera", Run: subscribe(visitor)}, worker1()}},
			{Name: "unsubscribe", About: "a subscription ends while the channel is being deleted",
				Faults: 2, Setup: lab.InTurn(news("old"), subscribe(visitor), queueDeletion),
				Actors: []lab.Actor{{Name: "vera", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed}, worker1()}},
			{Name: "subscribe-twice", About: "a user subscribes in one window and unsubscribes in another",
				Faults: 2, Preemptions: 3, Setup: news("old"),
				Actors: []lab.Actor{{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed}}},
			{Name: "subscribe-again", About: "a user subscribes, unsubscribes and subscribes again, and delayed duplicates of the requests arrive",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "vera", Run: lab.InTurn(subscribe(visitor), unsubscribe(visitor), subscribe(visitor))}, {Name: "feed", Run: feed},
				}},
			{Name: "leave-late", About: "a user subscribes and unsubscribes, and delayed duplicates of the requests arrive",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(subscribe(visitor), unsubscribe(visitor))}, {Name: "feed", Run: feed}}},
			{Name: "subscribe-late", About: "a user subscribes in one window and unsubscribes in another, and a request is delayed",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "vera", Run: subscribe(visitor)}, {Name: "vera2", Run: unsubscribe(visitor)}, {Name: "feed", Run: feed}}},
		},
		ablations: []ablation{
			ablate("join", "subscribe-twice", "The join row", "swapJoin: driver.Delete(schema.JoinRow(user), driver.Match(ticket))",
				"A subscriber's row replaces the join row in the version that was read, so an operation that removes that version makes a late subscription fail.",
				always(outright("join!")), unbounded, among("vera", "feed")),
			ablate("joined", "subscribe-late", "The feed reads the truth", "(*Subscriptions).repairSubscription: s.hasSub(ctx, row.Channel, user)",
				"A feed reads the subscriber's row in each channel that it shows, because the user's own row may be out of date.",
				nil, unharmed, among("vera", "vera2"), under(Shipped{Readers: trustful})),
		},
		told: map[lab.Kind]invariant{
			factSubscribed: outlived(counts(true, subscriptionRow, factLeaving, factLeft, "an acknowledged subscription is lost")),
			factLeft:       counts(false, subscriptionRow, factJoining, factSubscribed, "a user counts as a subscriber, and their leaving was acknowledged"),
		},
		recalled: []lab.Kind{factSubscribed, factLeft},
		read:     []demand{unsubscribed, readFeeds},
		rest:     []demand{uncounted},
	}
}
