package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The creation of a channel, and its name.

// create creates the channel.
func create(name domain.ChannelName, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) { makeChannel(ctx, c, name, by) }
}

func makeChannel(ctx context.Context, c *lab.Client, name domain.ChannelName, by domain.UserName) (domain.Channel, bool) {
	channel, err := domain.NewChannel(string(name), domain.About{}, by)
	if err == nil {
		channel, err = c.Store.CreateChannel(ctx, channel)
	}
	switch {
	case err == nil:
		c.Tell(lab.Fact{Kind: lab.Created, Channel: channel.Ref()})
	case errors.Is(err, domain.ErrExists) && !errors.Is(err, domain.ErrStillDeleting):
		c.Tell(lab.Fact{Kind: lab.Taken, Channel: domain.ChannelRef{Key: channel.Key()}})
	}
	return channel, err == nil
}

// createOnce creates the channel with an idempotency key.
func createOnce(by domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		c.Tell(lab.Fact{Kind: lab.Creating, User: by, Key: key})
		channel, err := domain.NewChannel(string(channelName), domain.About{}, by)
		if err == nil {
			channel, _, err = c.Store.CreateChannelOnce(ctx, channel, key, 0)
		}
		switch {
		case err == nil:
			c.Tell(lab.Fact{Kind: lab.Created, Channel: channel.Ref(), User: by, Key: key})
		case errors.Is(err, domain.ErrExists) && !errors.Is(err, domain.ErrStillDeleting):
			c.Tell(lab.Fact{Kind: lab.Taken, Channel: domain.ChannelRef{Key: channelKey}, User: by, Key: key})
		}
	}
}

// createAndPost creates the channel and posts to it at once.
func createAndPost(by domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		if channel, ok := makeChannel(ctx, c, channelName, by); ok {
			makePost(ctx, c, channel, by, key)
		}
	}
}

// live tells whether the channel can be read and posted to.
func live(db mem.Snapshot, ref domain.ChannelRef) bool {
	row, ok := channelRow(db, ref)
	return ok && row.String("State") == string(domain.ChannelActive) &&
		hasRow(db, schema.TableBlogs, ref, "gate!open!"+string(ref.Incarnation))
}

func channelRow(db mem.Snapshot, ref domain.ChannelRef) (driver.Properties, bool) {
	row, err := db.Get(schema.TableChannels, string(ref.Key), "")
	return row.Properties, err == nil && row.Properties.String("Incarnation") == string(ref.Incarnation)
}

// ownEcho tells whether every channel row there ever was is of this actor: then
// "taken" was the echo of its own request.
func ownEcho(v lab.View, actor int) bool {
	for _, incarnation := range v.Incarnations {
		if lab.Minter(incarnation) != actor {
			return false
		}
	}
	return true
}

// ownKey tells whether every channel row there ever was is of an actor who creates with
// the same key: then "taken" was the echo of the user's own request.
func ownKey(v lab.View, f lab.Fact) bool {
	for _, incarnation := range v.Incarnations {
		minter := lab.Minter(incarnation)
		same := func(g lab.Fact) bool { return g.Kind == lab.Creating && g.User == f.User && g.Key == f.Key }
		if minter >= len(v.Told) || !slices.ContainsFunc(v.Told[minter], same) {
			return false
		}
	}
	return true
}

// creations are about names that are taken.
func creations() []lab.Scenario {
	return []lab.Scenario{
		{
			Name: "creators", About: "two people create a channel of the same name", Faults: 3,
			Actors: []lab.Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: create(channelName, visitor)}},
		},
		{
			Name: "create-late", About: "somebody posts as soon as a channel is seen, and its creator has given up", Faults: 2, Preemptions: 3,
			Straggles: anything,
			Actors:    []lab.Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: post(visitor, "new")}},
		},
		{
			Name: "create-once", About: "a request to create a channel is sent twice with one idempotency key, and the channel is deleted meanwhile", Faults: 1, Preemptions: 2,
			Straggles: anything, Slow: true,
			Actors: []lab.Actor{
				{Name: "olga", Run: inTurn(createOnce(owner, "key"), ask, createOnce(owner, "key"))},
				{Name: "olga2", Run: createOnce(owner, "key")}, worker1(),
			},
		},
		{
			Name: "create-delete", About: "a channel is deleted as soon as it is seen, while its creation is still under way", Faults: 2, Preemptions: 3, Slow: true,
			Actors: []lab.Actor{{Name: "olga", Run: create(channelName, owner)}, {Name: "olga2", Run: ask}, worker1()},
		},
		{
			Name: "stragglers", About: "requests of a creation and a deletion land long after their senders have gone on", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Setup:     accepted("old"),
			Actors:    []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, {Name: "olga", Run: ask}, worker1()},
		},
		{
			Name: "stalled", About: "somebody creates a channel and stalls before posting to it, and requests land long after its deletion", Faults: 2, Preemptions: 2,
			Straggles: anything,
			Actors:    []lab.Actor{{Name: "olga", Run: createAndPost(owner, "new")}, {Name: "olga2", Run: ask}, worker1()},
		},
	}
}

// creationGuards are what keeps a creation right.
func creationGuards() []lab.Scenario {
	return []lab.Scenario{
		ablate("reservation", "stalled", "The reservation", "OpenGate",
			"The open gate takes the place of a reservation, in the version that was read, which is used up by that, so a gate opens once in all time.",
			always(outright("gate!reserved!")), stalling),
		ablate("etag", "stalled", "ETags never repeat", "ReserveGate",
			"This is a premise and no guard of ours: a late copy of the reservation has another version, so it cannot open the gate again.",
			always(withoutMatch(schema.TableBlogs, "gate!reserved!")), repeating),
		ablate("late-row", "create-late", "The version of the gate", "WithdrawGate",
			"A creator who gives up removes the gate in the version that was read before the row, so it stays if somebody has posted behind it.",
			always(withoutMatch(schema.TableBlogs, "gate!open!"))),
		ablate("look", "creators", "The look after the insert", "resolveInsert",
			"A creator reads the row, whatever the insert was answered, so an echo is not taken for a rival.",
			always(believer)),
		ablate("made", "create-once", "What a key has made", "recordMade",
			"What an idempotency key has made is recorded before the creator is answered, so the same request cannot make another channel later.",
			always(func() driver.Around {
				return skipping(func(c *driver.Call) bool {
					return c.Method == driver.CallTransact && strings.HasPrefix(c.Operations[0].Row, "made!")
				})
			}), unharmed, among("olga", "w1")),
		ablate("own-key", "create-once", "The key in the row", "adopt",
			"A channel's row carries the hash of the key that made it, so a request that is sent again recognises its own channel.",
			always(withoutProperty(schema.TableChannels, "Once")), unharmed, among("olga", "olga2")),
	}
}

// stalling allows one preemption, because the other actors end while one stalls,
// and one fault, which is that the insert of one row is late.
func stalling(s *lab.Scenario) {
	s.Faults, s.Preemptions = 1, 1
	s.Straggles = func(c *lab.Call) bool { return len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionInsert }
}

// repeating is stalling with two late requests: the insert of a reservation, and the
// swap that depends on its ETag.
func repeating(s *lab.Scenario) {
	s.Faults, s.Preemptions = 2, 1
	s.Straggles = func(c *lab.Call) bool {
		return len(c.Operations) > 0 && strings.HasPrefix(c.Operations[0].Row, "gate!reserved!")
	}
}

// believer makes a creator trust the answer to its insert of a channel's row: the
// read that follows shows what the answer says. After "exists" it shows the channel
// of a stranger, whose gate is there.
func believer() driver.Around {
	const stranger = "STRANGERSTRANGERSTRANGERAA"
	var inserted driver.Properties
	var answer error
	return func(ctx context.Context, c *driver.Call, next following) error {
		switch {
		case c.Target == schema.TableChannels && len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionInsert:
			inserted, answer = c.Operations[0].Properties, next(ctx)
			return answer
		case strings.HasSuffix(c.Row, stranger):
			return nil
		case inserted == nil || c.Method != driver.CallGet || c.Target != schema.TableChannels:
			return next(ctx)
		case answer != nil && !errors.Is(answer, domain.ErrExists):
			inserted = nil
			return domain.ErrNotFound
		}
		c.Entity = driver.Entity{Partition: c.Partition, Row: c.Row, Properties: inserted}
		if answer != nil {
			set(&c.Entity, driver.String("Incarnation", stranger))
		}
		inserted = nil
		return nil
	}
}
