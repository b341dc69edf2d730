package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The creation of a channel, and its name.

const (
	// factCreated: the channel is there. It may have been created with Key.
	factCreated lab.Kind = "created"
	// factTaken: the name belongs to another user.
	factTaken lab.Kind = "the name is taken"
	// factCreating: the actor creates a channel with the idempotency key Key.
	factCreating lab.Kind = "(creating)"
	// factRefused: the channel was there, and is gone.
	factRefused lab.Kind = "the channel is gone"
	// factOwned: the channel was created, and is on the list of User, who owns it.
	factOwned lab.Kind = "on the owner's list"
)

// create creates the channel.
func create(name domain.ChannelName, by domain.UserName) body {
	return func(ctx context.Context, c *lab.Client) { makeChannel(ctx, c, name, by, "") }
}

// createOnce creates the channel with an idempotency key.
func createOnce(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factCreating, User: owner, Key: "key"})
	makeChannel(ctx, c, channelName, owner, "key")
}

func makeChannel(ctx context.Context, c *lab.Client, name domain.ChannelName, by domain.UserName, key string) (domain.Channel, bool) {
	channel, err := domain.NewChannel(string(name), domain.About{}, by)
	if err == nil {
		channel, _, err = c.Store.Channels.Create(ctx, channel, domain.PostersOpen, key, 0)
	}
	switch {
	case err == nil:
		c.Tell(lab.Fact{Kind: factCreated, Channel: channel.Ref(), User: by, Key: key})
	case errors.Is(err, domain.ErrExists) && !errors.Is(err, domain.ErrStillDeleting):
		c.Tell(lab.Fact{Kind: factTaken, Channel: domain.ChannelRef{Key: name.Key()}, User: by, Key: key})
	}
	return channel, err == nil
}

// createAndPost creates the channel and immediately posts to it.
func createAndPost(by domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		if channel, ok := makeChannel(ctx, c, channelName, by, ""); ok {
			makePost(ctx, c, channel, by, key)
		}
	}
}

// createWithin creates a channel for an owner who may have about so many.
func createWithin(name domain.ChannelName, by domain.UserName, limit int) body {
	return func(ctx context.Context, c *lab.Client) {
		channel, err := domain.NewChannel(string(name), domain.About{}, by)
		if err == nil {
			channel, _, err = c.Store.Channels.Create(ctx, channel, domain.PostersOpen, "", limit)
		}
		acknowledged(c, err, lab.Fact{Kind: factOwned, Channel: channel.Ref(), User: by})
	}
}

// channelIsListed: a channel that was created is on its owner's list, or the deletion of the owner's
// account would not find it.
func channelIsListed(v lab.View, k lab.Known, violation violating) {
	if _, err := v.DB.Get(schema.TableUsers, string(k.User), schema.OwnedRow(k.Channel.Key)); err != nil && live(v.DB, k.Channel) {
		violation("I8", "a channel (%s) is not on the list of %s, who owns it", string(k.Channel.Incarnation), string(k.User))
	}
}

// listedLongAgo makes the rows of owners' lists look as if they had been written long ago.
func listedLongAgo(ctx context.Context, c *driver.Call, next following) error {
	err := next(ctx)
	c.Page.Rows = slices.Clone(c.Page.Rows)
	for i, row := range c.Page.Rows {
		if schema.Owned.Has(row.Row) {
			set(&c.Page.Rows[i], driver.Time("WrittenOn", lab.Instant().Add(-time.Hour)))
		}
	}
	return err
}

// live reports whether the channel can be read and posted to.
func live(db mem.Snapshot, ref domain.ChannelRef) bool {
	row, ok := channelRow(db, ref)
	return ok && row.String("State") == string(domain.ChannelActive) &&
		hasRow(db, ref, "gate!open!"+string(ref.Incarnation))
}

func channelRow(db mem.Snapshot, ref domain.ChannelRef) (driver.Properties, bool) {
	row, err := db.Get(schema.TableChannels, string(ref.Key), "")
	return row.Properties, err == nil && row.Properties.String("Incarnation") == string(ref.Incarnation)
}

func channelStays(v lab.View, k lab.Known, violation violating) {
	if !asked(v, k.Channel) && !live(v.DB, k.Channel) {
		violation("I3", "a client was told that a channel was created (%s), but it does not exist or has no open gate, and no user asked for its deletion",
			string(k.Channel.Incarnation))
	}
}

func nameIsTaken(v lab.View, k lab.Known, violation violating) {
	violation.when(selfConflict(v, k.Actor) || k.Key != "" && ownKey(v, k.Fact), "A4", "told that the name belongs to another user, and no other user ever had it")
}

// channelIsGone: the insert of a row can take effect after its creator has given up. No client was
// told that the channel was created; it can be read until it is deleted again.
func channelIsGone(v lab.View, k lab.Known, violation violating) {
	violation.when(!asked(v, k.Channel) && v.Count(factCreated, func(c lab.Known) bool { return c.Channel == k.Channel }) > 0,
		"A4", "told that the channel is gone, and no user asked for its deletion")
}

// createdOnce is I7 of channels that are created with a key.
func createdOnce(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	answeredTwice(v, factCreated, "channels", violation, func(f lab.Fact) (request, answer string) {
		if f.Key == "" {
			return "", ""
		}
		return string(f.User) + "!" + f.Key, string(f.Channel.Incarnation)
	})
}

// selfConflict reports whether every channel row there ever was is of this actor: then
// "taken" was a conflict with its own earlier request.
func selfConflict(v lab.View, actor int) bool {
	return !slices.ContainsFunc(v.Incarnations, func(incarnation string) bool { return lab.Minter(incarnation) != actor })
}

// ownKey reports whether every channel row there ever was is of an actor who creates with
// the same key: then "taken" was a conflict with the user's own earlier request.
func ownKey(v lab.View, f lab.Fact) bool {
	same := func(g lab.Fact) bool { return g.Kind == factCreating && g.User == f.User && g.Key == f.Key }
	return !slices.ContainsFunc(v.Incarnations, func(incarnation string) bool {
		minter := lab.Minter(incarnation)
		return minter >= len(v.Told) || !slices.ContainsFunc(v.Told[minter], same)
	})
}

// creations are about names that are taken.
func creations() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "creators", About: "two people create a channel of the same name",
				Faults: 3, Actors: []lab.Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: create(channelName, visitor)}}},
			{Name: "create-late", About: "a user posts as soon as a channel is seen, and its creator has given up",
				Faults: 2, Preemptions: 3, DelayedCalls: anything,
				Actors: []lab.Actor{{Name: "ann", Run: create(channelName, author)}, {Name: "vera", Run: post(visitor, "new")}}},
			{Name: "create-once", About: "a request to create a channel is sent twice with one idempotency key, and the channel is deleted meanwhile",
				Faults: 1, Preemptions: 2, DelayedCalls: anything,
				Actors: []lab.Actor{{Name: "olga", Run: lab.InTurn(createOnce, ask, createOnce)}, {Name: "olga2", Run: createOnce}, worker1()}},
			{Name: "create-room", About: "an owner at the limit creates a channel, while another creation of theirs takes so long that it is not expected any more",
				Faults: 1, Preemptions: 2, DelayedCalls: writesTo(schema.TableBlogs), Intercept: []lab.Intercept{always(stateless(listedLongAgo))},
				Setup: withAccount(),
				Actors: []lab.Actor{
					{Name: "vera", Run: createWithin(channelName, visitor, 1)}, {Name: "vera2", Run: createWithin("Other", visitor, 1)},
				}},
			{Name: "create-delete", About: "a channel is deleted as soon as it is seen, while its creation is still under way",
				Faults: 2, Preemptions: 2,
				Actors: []lab.Actor{{Name: "olga", Run: create(channelName, owner)}, {Name: "olga2", Run: ask}, worker1()}},
			{Name: "delayed-requests", About: "requests of a creation and a deletion take effect long after their senders have gone on",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: accepted("old"),
				Actors: []lab.Actor{{Name: "ann", Run: createAndPost(author, "new")}, {Name: "olga", Run: ask}, worker1()}},
			{Name: "stalled", About: "a user creates a channel and stalls before posting to it, and requests take effect long after its deletion",
				Faults: 1, Preemptions: 2, DelayedCalls: anything,
				Actors: []lab.Actor{{Name: "olga", Run: createAndPost(owner, "new")}, {Name: "olga2", Run: ask}, worker1()}},
			{Name: "stalled-twice", About: "a channel is deleted, and then both requests that open its gate take effect again",
				Faults: 2, Preemptions: 1, DelayedCalls: ofReservation,
				Actors: []lab.Actor{{Name: "olga", Run: createAndPost(owner, "new")}, {Name: "olga2", Run: ask}, worker1()}},
		},
		ablations: []ablation{
			ablate("room-gates", "create-room", "The reservations behind a list", "removeOutlived: s.withdrawCreations(ctx, schema.OwnedKey(row.Row))",
				"Before a row is taken off an owner's list, the reservations under its name are withdrawn, so a creation that is under way lists its channel again.",
				only("vera2", withoutWithdrawal()), unharmed),
			ablate("room-version", "create-room", "The version of a listed channel", "removeOutlived: driver.Match(row.ETag)",
				"A row is taken off an owner's list in the version that was read before the reservations, so a channel that was listed again stays there.",
				only("vera2", withoutMatch(schema.TableUsers, "owned!")), unharmed),
			ablate("reservation", "stalled", "The reservation", "OpenGate: driver.Delete(schema.ReservedGateRow(ref.Incarnation), driver.Match(reservation))",
				"The open gate replaces a reservation in the version that was read, and no row has that version again, so a gate opens at most once.",
				always(outright("gate!reserved!")), unbounded, lateInsert, copied),
			ablate("etag", "stalled-twice", "The version of the reservation", "OpenGate: driver.Match(reservation)",
				"A delayed duplicate of the reservation has another version, because ETags never repeat, so a delayed duplicate of the transaction cannot open the gate again.",
				always(withoutMatch(schema.TableBlogs, "gate!reserved!")), copied),
			ablate("late-row", "create-late", "The version of the gate", "WithdrawGate: driver.Match(gate.ETag)",
				"A creator who gives up removes the gate in the version that was read before the row, so the gate stays if a user has posted since.",
				only("ann", withoutMatch(schema.TableBlogs, "gate!open!"))),
			ablate("look", "creators", "The look after the insert", "resolveInsert: row, err := s.ReadChannel(ctx, ref.Key)",
				"A creator reads the row, whatever the insert was answered, so it does not take a self-conflict for another creator.",
				always(believer)),
			ablate("made", "create-once", "What a key has made", "recordMade: driver.Insert(row, driver.String(schema.PropIncarnation, incarnation))",
				"What an idempotency key has made is recorded before the creator is answered, so the same request cannot make another channel later.",
				always(skipping(func(c *driver.Call) bool {
					return c.Method == driver.CallTransact && strings.HasPrefix(c.Operations[0].Row, "made!")
				})), unharmed, among("olga", "w1")),
			ablate("own-key", "create-once", "The key in the row", "adopt: row.once != c.once",
				"A channel's row carries the hash of the key that made it, so a request that is sent again recognises its own channel.",
				always(withoutProperty(schema.TableChannels, "Once")), unharmed, among("olga", "olga2")),
		},
		told: map[lab.Kind]invariant{factCreated: outlived(channelStays), factOwned: outlived(channelIsListed), factTaken: nameIsTaken, factRefused: channelIsGone},
		rest: []demand{createdOnce},
	}
}

// lateInsert makes the insert of one row late.
func lateInsert(s *lab.Scenario) {
	s.DelayedCalls = func(c *driver.Call) bool {
		return len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionInsert
	}
}

// ofReservation reports whether a call inserts a reservation, or depends on the ETag of one.
func ofReservation(c *driver.Call) bool {
	return len(c.Operations) > 0 && strings.HasPrefix(c.Operations[0].Row, "gate!reserved!")
}

// believer makes a creator trust the answer to its insert of a channel's row: after "exists", the read that
// follows shows the channel of another user, whose gate is there.
func believer() driver.Around {
	const foreign = "FOREIGNFOREIGNFOREIGNAAAAA"
	refused := false
	return func(ctx context.Context, c *driver.Call, next following) error {
		if strings.HasSuffix(c.Row, foreign) {
			c.Entity = driver.Entity{Partition: c.Partition, Row: c.Row, ETag: "foreign"}
			return nil
		}
		err := next(ctx)
		switch {
		case writes(c, schema.TableChannels):
			refused = errors.Is(err, domain.ErrExists)
		case refused && err == nil && c.Method == driver.CallGet && c.Target == schema.TableChannels:
			set(&c.Entity, driver.String("Incarnation", foreign))
		}
		return err
	}
}
