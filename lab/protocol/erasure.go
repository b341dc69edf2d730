package protocol

import (
	"context"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A user deletes their account while requests of theirs are still in flight.

const (
	// factErasing: the deletion of the account was accepted, under the ID of Channel. Session had begun before.
	factErasing lab.Kind = "the account will be deleted"
	// factErasingNow: the actor asks for the deletion of the account.
	factErasingNow lab.Kind = "(deleting the account)"
	// factKeeping: the actor undoes the deletion of the account.
	factKeeping lab.Kind = "(keeping the account)"
	// factKept: the account stays. The deletion with the ID of Channel was undone, if there is one.
	factKept lab.Kind = "the account stays"
	// factAccountClosed: an operator has deleted the account, under the ID of Channel.
	factAccountClosed lab.Kind = "the account is closed by an operator"
	// factReturning: the actor signs up with the name again.
	factReturning lab.Kind = "(signing up again)"
	// factReturned: the actor has an account of the name again.
	factReturned lab.Kind = "signed up again"
)

// erase asks for the deletion of the visitor's account, with the session of the set-up.
func erase(ctx context.Context, c *lab.Client) { eraseWith(false)(ctx, c) }

func eraseWith(keepPosts bool) body {
	return func(ctx context.Context, c *lab.Client) {
		f := lab.Fact{Kind: factErasing, User: visitor, Session: sessionOf(c)}
		c.Tell(lab.Fact{Kind: factErasingNow, User: visitor})
		asked, err := c.Store.Accounts.Delete(ctx, storage.Attempt{Name: string(visitor), Password: oldPassword, Address: address}, keepPosts)
		if f.Channel = asked.Ref(); err == nil && asked.State == domain.AccountPending {
			if asked.UndoableUntil.After(asked.RequestedOn) {
				f.Until = asked.UndoableUntil
			}
			c.Tell(f)
		}
	}
}

// keep undoes the deletion of the visitor's account.
func keep(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factKeeping, User: visitor})
	undone, err := c.Store.Accounts.Undo(ctx, visitor, domain.By(visitor))
	acknowledged(c, err, lab.Fact{Kind: factKept, User: visitor, Channel: undone.Ref()})
}

// closeAccount asks for the deletion of the visitor's account as an operator.
func closeAccount(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factErasingNow, User: visitor})
	asked, err := c.Store.Accounts.Close(ctx, visitor, siteOperator(), false)
	if err == nil && asked.State == domain.AccountPending && asked.ByOperator != "" {
		c.Tell(lab.Fact{Kind: factAccountClosed, User: visitor, Channel: asked.Ref()})
	}
}

// closedAccountStays: none but an operator undoes what an operator has deleted, and none does here.
func closedAccountStays(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	violation.when(err == nil && row.Properties.String("State") == string(domain.AccountActive),
		"I10", "an account is active that an operator has closed, and no operator has undone that")
}

// every is the Key of factKept if the client knows of no request to delete that was sent after the undo.
const every = "every request"

// eraseAndKeep asks for the deletion of the visitor's account, and undoes that, whatever the answer was.
func eraseAndKeep(ctx context.Context, c *lab.Client) {
	erase(ctx, c)
	c.Tell(lab.Fact{Kind: factKeeping, User: visitor})
	undone, err := c.Store.Accounts.Undo(ctx, visitor, domain.By(visitor))
	acknowledged(c, err, lab.Fact{Kind: factKept, User: visitor, Channel: undone.Ref(), Key: every})
}

// comeBack signs up with the name of an account that is gone, and votes.
func comeBack(name domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		c.Tell(lab.Fact{Kind: factReturning, User: name})
		_, _, err := c.Store.Accounts.Create(ctx, storage.SignUpRequest{
			Attempt: storage.Attempt{Name: string(name), Password: newPassword("next"), Address: address}})
		if err != nil {
			return
		}
		c.Tell(lab.Fact{Kind: factReturned, User: name, Page: lab.HashPassword(newPassword("next"))})
		vote(key, name)(ctx, c)
	}
}

// leaves reports whether the account of a user is being deleted, or may be: the message was sent.
func leaves(v lab.View, user domain.UserName) bool {
	row, err := v.DB.Get(schema.TableUsers, string(user), "")
	return err == nil && row.Properties.String("State") != string(domain.AccountActive) ||
		slices.ContainsFunc(v.Sent, func(m lab.SentMessage) bool { return m.Kind == domain.MessageAccount && m.RequestedBy == user })
}

// outlived is an invariant of what a user was told, which ends with their account: package oracle says
// what is left then.
func outlived(holds invariant) invariant {
	return func(v lab.View, k lab.Known, violation violating) {
		if !leaves(v, k.User) {
			holds(v, k, violation)
		}
	}
}

// erasureHolds is I10 of an account whose deletion was accepted, and I3 until that cannot be undone.
func erasureHolds(v lab.View, k lab.Known, violation violating) {
	accountIsKept(v, k, violation)
	violation.when(signsIn(v.DB, k.Session), "I10", "a session signs a user in although it began before the deletion of their account was accepted")
}

// nobodySignsIn is I12 of sessions: none is left of an account that is gone.
func nobodySignsIn(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(visitor), "")
	if err != nil || row.Properties.String("State") != string(domain.AccountGone) {
		return
	}
	for k := range v.Facts() {
		violation.when(k.Kind == factFollowed && signsIn(v.DB, k.Session), "I12", "a session signs a user in whose account is gone")
	}
}

// acceptedIsGone is I5 of accounts: one is gone if a request to delete it was accepted, and that
// request was not undone.
func acceptedIsGone(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	if v.Count(factKeeping, nil) > v.Count(factKept, nil) || v.Count(factReturning, nil) > 0 {
		return // an undo was not answered, or another user has the name
	}
	for k := range v.Facts() {
		if k.Kind != factErasing || v.Count(factKept, func(f lab.Known) bool { return f.Channel == k.Channel }) > 0 {
			continue
		}
		if row, err := v.DB.Get(schema.TableUsers, string(k.User), ""); err != nil || row.Properties.String("State") != string(domain.AccountGone) {
			violation("I5", "an account is still there, and its deletion was accepted")
		}
	}
}

// accountStays: an account is there of which as many requests to delete it were undone as were sent, or every one.
func accountStays(v lab.View, k lab.Known, violation violating) {
	undone := map[domain.ChannelRef]bool{}
	for f := range v.Facts() {
		if f.Kind == factKept && f.Channel.Incarnation != "" {
			undone[f.Channel] = true
		}
	}
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	all := k.Key == every || v.Count(factErasingNow, nil) == len(undone)
	violation.when(err != nil || all && row.Properties.String("State") != string(domain.AccountActive),
		"I3", "the deletion of an account was undone, and the account is not there")
}

// nextIsWhole: the next user of the name has an account of their own.
func nextIsWhole(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	p := row.Properties
	violation.when(err != nil || p.String("State") != string(domain.AccountActive) || p.String("Password") != k.Page,
		"I2", "the next user of a deleted account's name has lost their account")
	for f := range v.Facts() {
		violation.when(f.Actor == lab.SetupIndex && f.Session != "" && signsIn(v.DB, f.Session),
			"I12", "a session of an account that is gone signs in the next user of the name")
	}
}

// longAgo makes an account that is gone look as if it had gone long ago: its name is free.
func longAgo() func() driver.Around {
	return reading(schema.TableUsers, func(row *driver.Entity) {
		if row.Properties.String("State") == string(domain.AccountGone) {
			set(row, driver.Time("FinishedOn", lab.Instant().Add(-2*domain.NameKept)))
		}
	})
}

// withAccount is a set-up: the visitor has an account and a session.
func withAccount(more ...body) body {
	return lab.InTurn(append([]body{account, makeLink, follow}, more...)...)
}

// erasures are deletions of accounts.
func erasures() subject {
	home := lab.Actor{Name: "home", Run: erase}
	duringErasure := func(name, about string, run, setup body) lab.Scenario {
		return lab.Scenario{
			Name: name, About: about, Faults: 1, Preemptions: 2, DelayedCalls: writesTo(schema.TableBlogs), Setup: setup,
			Actors: []lab.Actor{{Name: "vera", Run: run}, home, worker1()},
		}
	}
	active := reading(schema.TableUsers, func(row *driver.Entity) { set(row, driver.String("State", domain.AccountActive)) })
	return subject{
		scenarios: []lab.Scenario{
			duringErasure("erasure-post", "a user posts in the channel of another while their account is deleted", post(visitor, "new"), withAccount(news("old"))),
			duringErasure("erasure-vote", "a user votes while their account is deleted", vote("old", visitor), withAccount(news("old"))),
			duringErasure("erasure-subscribe", "a user subscribes while their account is deleted", subscribe(visitor), withAccount(news("old"))),
			duringErasure("erasure-create", "a user creates a channel while their account is deleted", create(channelName, visitor), withAccount()),
			duringErasure("erasure-session", "a user signs in by a link while their account is deleted", follow, withAccount(makeLink)),
			{Name: "erasure-undo", About: "the deletion of an account is undone, and asked for again, while two workers handle its message",
				Faults: 1, Preemptions: 2, Undo: atOnce, DelayedCalls: writesTo(schema.TableUsers), Setup: withAccount(news("old"), erase),
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(keep, erase)}, worker1(), worker2()}},
			{Name: "erasure-unanswered", About: "a request to delete an account may not be answered and arrive late, and its user undoes it while a worker runs",
				Faults: 1, Preemptions: 2, Undo: atOnce, DelayedCalls: writesTo(schema.TableUsers), Setup: withAccount(),
				Actors: []lab.Actor{{Name: "vera", Run: eraseAndKeep}, worker1()}},
			{Name: "erasure-devices", About: "the deletion of an account is undone on one device and asked for on another, twice",
				Faults: 1, Preemptions: 3, Undo: atOnce, DelayedCalls: writesTo(schema.TableUsers), Setup: withAccount(),
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(keep, keep)}, {Name: "home", Run: lab.InTurn(erase, erase)}}},
			{Name: "erasure-operator", About: "the deletion of an account is undone, while an operator closes the account",
				Faults: 1, Preemptions: 2, Undo: atOnce, DelayedCalls: writesTo(schema.TableUsers), Setup: withAccount(erase),
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(keep, keep)}, {Name: "otto", Run: closeAccount}}},
			{Name: "erasure-keep", About: "an account is deleted and its posts stay, while its user edits one, another votes on it, and the owner removes it",
				Faults: 1, Preemptions: 2, Setup: withAccount(news(), post(visitor, "mine"), eraseWith(true)),
				Actors: []lab.Actor{worker1(), {Name: "ann", Run: vote("mine", author)}, {Name: "olga", Run: removePost("mine", owner)}}},
			{Name: "erasure-workers", About: "two workers delete an account with posts, votes, a subscription and a channel, and may die",
				Faults: 1, Preemptions: 2, Deaths: 1,
				Setup:  withAccount(news("old"), voteNewest(visitor), post(visitor, "mine"), voteNewest(author), subscribe(visitor), create("Veras", visitor), erase),
				Actors: []lab.Actor{worker1(), worker2()}},
			{Name: "erasure-pass", About: "an account is deleted while a reconciling pass runs, and the queue may lose the message",
				Faults: 2, Preemptions: 1, Forgets: true, Setup: withAccount(news("old"), post(visitor, "mine")),
				Actors: []lab.Actor{home, worker1(), {Name: "reconcile", Run: reconcile}}},
			{
				Name: "erasure-again", About: "the name of a deleted account is taken again, and earlier requests are delayed",
				Faults: 1, Preemptions: 2, Intercept: []lab.Intercept{always(longAgo())},
				DelayedCalls: writesTo(schema.TableBlogs, schema.TableUsers),
				Setup:        withAccount(news("old"), voteNewest(visitor), erase),
				Actors:       []lab.Actor{worker1(), {Name: "next", Run: comeBack(visitor, "old")}},
			},
		},
		ablations: []ablation{
			ablate("erasure-look", "erasure-post", "The look after the list", "permitted: s.fence.RequireActive(ctx, p.by)",
				"A request to post checks that its account is active after the post is on the author's list, so it sees a deletion that has read the list.",
				only("vera", after(func(c *driver.Call) bool { return c.Method == driver.CallGet && c.Target == schema.TableUsers }, isToList)), unharmed, unbounded, reordered),
			ablate("erasure-fence", "erasure-post", "A new revision of each rule", "EraseFence: s.posts.ReplacePostingRule(ctx, ref, m.RequestedBy)",
				"A deletion replaces the posting rule of each channel on the list, so what was sent before it fails.",
				only("w", skipping(func(c *driver.Call) bool { return slices.ContainsFunc(c.Operations, isPostingRule) })), unharmed, unbounded),
			ablate("erasure-revision", "erasure-vote", "The posting rule in a vote", "permitted: driver.Merge(schema.PostingRuleRow(p.revision), driver.Exists)",
				"A vote requires the revision of the posting rule as a post does, so it fails once a deletion has replaced the rule.",
				only("vera", leavingOut(driver.ActionMerge, "posting!")), unharmed),
			ablate("erasure-join", "erasure-subscribe", "The look before the swap", "(*Subscriptions).join: s.fence.RequireActive(ctx, user)",
				"A request to subscribe checks that its account is active after the user's own row exists, so it sees a deletion that has read that row.",
				only("vera", active), unharmed),
			ablate("erasure-reserved", "erasure-create", "The look after the reservation", "(*Fence).create: s.RequireActive(ctx, c.channel.Owner)",
				"A creation checks that its account is active after the channel is on the owner's list, so it sees a deletion that has read the list.",
				only("vera", active), unharmed),
			ablate("erasure-gates", "erasure-create", "The gates of those who create", "withdrawCreations: s.fence.WithdrawGate(ctx, gate)",
				"A deletion removes the reservation of each channel that is on the list and does not exist, so its gate never opens.",
				only("w", withoutWithdrawal()), unharmed),
			ablate("erasure-epoch", "erasure-session", "The epoch that ends", "(Steps).CloseAccount: driver.Int64(schema.PropEpoch, epochOf(e.row)+1)",
				"A request to delete an account begins an epoch, so it ends all sessions and links in one write.",
				always(sending(func(c *driver.Call) {
					if writes(c, schema.TableUsers) && c.Operations[0].Action == driver.ActionMerge && c.Operations[0].Properties.String("State") != "" {
						c.Operations[0].Properties = slices.DeleteFunc(slices.Clone(c.Operations[0].Properties),
							func(p driver.Property) bool { return p.Name == "Epoch" })
					}
				})), unharmed),
			ablate("erasure-version", "erasure-undo", "The version of the account", "(Steps).swap: driver.Match(e.row.ETag)",
				"The undo and the pivot write one row in the version that was read, so only one of them succeeds.",
				always(withoutMatch(schema.TableUsers, "")), unharmed),
			ablate("erasure-identity", "erasure-devices", "The identity of a request", `(Steps).accept: asked.ID != "" && entry.ID == asked.ID`,
				"A request to delete recognises its own write of the account's row, so it does not repeat that write after an undo.",
				only("home", reading(schema.TableUsers, func(row *driver.Entity) {
					if row.Properties.String("State") == string(domain.AccountActive) {
						set(row, driver.String("Incarnation", ""))
					}
				}))),
			ablate("erasure-unanswered-touch", "erasure-unanswered", "The undo of an active account", "(*Accounts).Undo: s.accounts.TouchAccount(ctx, entry)",
				"An undo gives an account that is active a new version too, so a request to delete that was not answered fails.",
				only("vera", skipping(func(c *driver.Call) bool {
					return writes(c, schema.TableUsers) && c.Operations[0].Action == driver.ActionMerge && len(c.Operations[0].Properties) == 0
				}))),
			ablate("erasure-undone", "erasure-devices", "The identity of what is undone", "(*Accounts).Undo: entry.ID != undone.ID",
				"An undo is of the request that was read first, so its duplicate leaves the next request alone.",
				only("vera", firstRead(schema.TableUsers, "Incarnation"))),
			ablate("erasure-by-operator", "erasure-operator", "Who has asked", "(*Accounts).Undo: !entry.UndoableBy(by)",
				"The account's row names the operator who has closed it, so its user cannot undo that.",
				only("vera", withoutProperty(schema.TableUsers, "ByOperator")), unharmed),
			ablate("erasure-name", "erasure-again", "The epoch of the next", "(*Accounts).insertAccount: driver.Int64(schema.PropEpoch, epochOf(now)+1)",
				"A new account with the name of one that is gone begins the next epoch, so no earlier session signs in to it.",
				only("next", sending(func(c *driver.Call) {
					if writes(c, schema.TableUsers) && c.Operations[0].Properties.String("Password") != "" {
						c.Operations[0].Properties = c.Operations[0].Properties.Merged(driver.Properties{driver.Int64("Epoch", 0)})
					}
				})), unharmed),
			ablate("erasure-rows", "erasure-again", "The version of a row on a list", "RemoveRows: driver.Match(row.ETag)",
				"A deletion takes rows off a list in the version that was read, so a delayed duplicate removes no row of the next user of the name.",
				only("w", withoutMatch(schema.TableUsers, "voted!"))),
		},
		told: map[lab.Kind]invariant{
			factErasing: erasureHolds, factKept: accountStays, factReturned: nextIsWhole, factAccountClosed: closedAccountStays,
		},
		rest: []demand{nobodySignsIn, acceptedIsGone},
	}
}
