package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The replies to a post, of which the post is the gate.

const (
	// factReplied: the reply Page to the post is there.
	factReplied lab.Kind = "replied"
	// factUnreplied: the reply Page to the post is gone.
	factUnreplied lab.Kind = "reply deleted"
	// factUnreplying: the actor deletes replies to the post.
	factUnreplying lab.Kind = "(deleting a reply)"
)

// reply replies to a post of the set-up. The idempotency key is also the text.
func reply(to string, by domain.UserName, key string) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		makeReply(ctx, c, channel, given(c, to).Blog, by, key)
	})
}

// readAndReply opens the page of a post of the set-up, and replies to the post if it is there.
func readAndReply(to string, by domain.UserName, key string) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		post, err := c.Store.Posts.Get(ctx, channel.Ref(), given(c, to).Blog)
		if err == nil {
			makeReply(ctx, c, channel, post.ID, by, key)
		}
	})
}

// replyNewest is a reply of a set-up to the post that it just made.
func replyNewest(by domain.UserName, key string) body {
	return onNewest(func(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.Blog) {
		makeReply(ctx, c, channel, post.ID, by, key)
	})
}

func makeReply(ctx context.Context, c *lab.Client, channel domain.Channel, post domain.BlogID, by domain.UserName, key string) {
	made, _, err := c.Store.Posts.Reply(ctx, storage.NewReply{Channel: channel, Post: post, By: by, Key: key, Text: key, CreatedOn: c.Now()})
	switch {
	case err == nil:
		c.Tell(lab.Fact{Kind: factReplied, Channel: channel.Ref(), Blog: post, User: by, Key: key, Page: string(made.ID)})
	case errors.Is(err, domain.ErrForbidden):
		c.Tell(lab.Fact{Kind: factForbidden, Channel: channel.Ref(), User: by, Key: key})
	}
}

// unreply deletes the oldest reply to a post of the set-up.
func unreply(to string, by domain.UserName) body {
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		post := given(c, to).Blog
		page, err := c.Store.Posts.Replies(ctx, channel.Ref(), post, "", 1)
		if err != nil || len(page.Items) == 0 {
			return
		}
		about := lab.Fact{Kind: factUnreplying, Channel: channel.Ref(), Blog: post, Page: string(page.Items[0].ID)}
		c.Tell(about)
		_, err = c.Store.Posts.DeleteReply(ctx, channel, post, page.Items[0].ID, domain.By(by))
		about.Kind = factUnreplied
		acknowledged(c, err, about)
	})
}

// replyStays: an acknowledged reply is there until a user asks for its deletion, or its post goes.
func replyStays(v lab.View, k lab.Known, violation violating) {
	asked := v.Count(factUnreplying, func(f lab.Known) bool { return f.Page == k.Page }) > 0
	goes := v.Count(factPosted, func(f lab.Known) bool { return f.Blog == k.Blog && leaves(v, f.User) }) > 0
	if asked || goes || askedBlog(v, k.Blog) || doomed(v, k.Channel) {
		return
	}
	violation.when(!hasRow(v.DB, k.Channel, replyRow(k.Fact)), "I3", "an acknowledged reply is gone, and no user asked for that")
}

func replyIsGone(v lab.View, k lab.Known, violation violating) {
	violation.when(hasRow(v.DB, k.Channel, replyRow(k.Fact)), "I3", "a reply is there, and its deletion was acknowledged")
}

func replyRow(f lab.Fact) string { return "reply!" + string(f.Blog) + "!" + f.Page }

// repliedOnce is I7 of replies: requests with the same key have the same text, and no others do.
func repliedOnce(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	answeredTwice(v, factReplied, "replies", violation, func(f lab.Fact) (request, answer string) {
		return string(f.Channel.Incarnation) + "!" + string(f.User) + "!" + f.Key, f.Page
	})
	texts := map[string]bool{}
	for row := range replyRows(v.DB) {
		key := row.Partition + "!" + row.Properties.String("UserId") + "!" + row.Properties.String("Text")
		violation.when(texts[key], "I7", "one idempotency key made two replies")
		texts[key] = true
	}
}

// replyHasPost is the part of I1 that the check leaves to a pass: all of them have run.
func replyHasPost(_ context.Context, _ Shipped, _ *crew, v lab.View, violation violating) {
	for row := range replyRows(v.DB) {
		post, _ := schema.ParseReply(strings.TrimPrefix(row.Row, "reply!"))
		violation.when(!hasRow(v.DB, domain.ChannelRef{Key: domain.ChannelKey(row.Partition)}, "blog!"+string(post)), "I1", "a reply is left, and its post is gone")
	}
}

func replyRows(db mem.Snapshot) func(yield func(driver.Entity) bool) {
	return func(yield func(driver.Entity) bool) {
		for row := range db.Rows(schema.TableBlogs) {
			if strings.HasPrefix(row.Row, "reply!") && !yield(row) {
				return
			}
		}
	}
}

// replies are made and deleted, and go with their post.
func replies() subject {
	answered := lab.InTurn(news("old"), replyNewest(author, "first"))
	toBlog := func(c *driver.Call) bool { return isToIndex(c) && strings.Count(c.Operations[0].Row, "!") > 1 }
	postOf := func(c *driver.Call) bool {
		return writes(c, schema.TableBlogs) && slices.ContainsFunc(c.Operations, func(op driver.Operation) bool {
			return op.Action == driver.ActionDelete && strings.HasPrefix(op.Row, "blog!")
		})
	}
	return subject{
		scenarios: []lab.Scenario{
			{Name: "reply", About: "a user replies to a post while it is deleted, and two workers remove its replies",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: answered,
				Actors: []lab.Actor{{Name: "vera", Run: reply("old", visitor, "new")}, {Name: "olga", Run: removePost("old", owner)}, worker1(), worker2()}},
			{Name: "reply-own", About: "an owner reads a post and replies to it, while a worker deletes it",
				Faults: 1, DelayedCalls: anything, Setup: queuedPost("old"),
				Actors: []lab.Actor{{Name: "olga", Run: readAndReply("old", owner, "new")}, worker1()}},
			{Name: "reply-forgotten", About: "a post with replies is deleted while a user replies, the web role or a worker may die, and the queue loses the message",
				Faults: 2, Forgets: true, Preemptions: 2, Invariants: Shipped{AcceptedOnly: true}, Setup: answered,
				Actors: []lab.Actor{{Name: "olga", Run: removePost("old", owner)}, worker1(), {Name: "vera", Run: reply("old", visitor, "new")}}},
			{Name: "reply-pass", About: "a post with replies is deleted while reconciling passes read the index of open deletions, and the queue loses the message",
				Faults: 1, Forgets: true, Preemptions: 3, Invariants: Shipped{AcceptedOnly: true}, DelayedCalls: isToIndex, Setup: answered,
				Actors: []lab.Actor{{Name: "olga", Run: removePost("old", owner)}, {Name: "reconcile", Run: lab.InTurn(reconcile, reconcile)}, worker1()}},
			{Name: "reply-edit", About: "a user replies while the post is edited and voted on, and replies are deleted",
				Faults: 1, Preemptions: 2, Setup: answered,
				Actors: []lab.Actor{
					{Name: "vera", Run: reply("old", visitor, "new")}, {Name: "ann", Run: edit("old", "other")},
					{Name: "vic", Run: vote("old", visitor)}, {Name: "olga", Run: unreply("old", owner)},
				}},
			{Name: "reply-sweep", About: "an owner and another user reply while the channel is being deleted",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: lab.InTurn(answered, queueDeletion),
				Actors: []lab.Actor{{Name: "olga", Run: reply("old", owner, "new")}, {Name: "vera", Run: reply("old", visitor, "new")}, worker1()}},
			{Name: "reply-undo", About: "a user replies while the deletion of the channel is undone",
				Faults: 1, Preemptions: 2, Undo: atOnce, Setup: lab.InTurn(answered, ask),
				Actors: []lab.Actor{{Name: "vera", Run: reply("old", visitor, "new")}, {Name: "olga", Run: undo}, worker1()}},
			{Name: "reply-key", About: "a reply is sent twice with one idempotency key while it is deleted, and its post too",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{
					{Name: "vera", Run: reply("old", visitor, "new")}, {Name: "vera2", Run: reply("old", visitor, "new"), After: "vera"},
					{Name: "olga", Run: lab.InTurn(unreply("old", owner), removePost("old", owner))}, worker1(),
				}},
			{Name: "reply-rule", About: "a user replies while the owner blocks them",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "ann", Run: reply("old", author, "new")}, {Name: "olga", Run: govern(blocked)}}},
			{Name: "reply-erasure", About: "a user replies to the post of another while their account is deleted",
				Faults: 1, Preemptions: 2, DelayedCalls: writesTo(schema.TableBlogs), Setup: withAccount(news("old")),
				Actors: []lab.Actor{{Name: "vera", Run: reply("old", visitor, "new")}, {Name: "home", Run: erase}, worker1()}},
			{Name: "reply-erasures", About: "two workers delete an account whose user has replied, and whose post others reply to, and may die",
				Faults: 1, Preemptions: 2, Deaths: 1,
				Setup:  withAccount(answered, replyNewest(visitor, "mine"), post(visitor, "question"), replyNewest(author, "answer"), erase),
				Actors: []lab.Actor{worker1(), worker2(), {Name: "ann", Run: reply("question", author, "late")}}},
		},
		ablations: []ablation{
			ablate("reply-gate", "reply-own", "The post as a gate", "(NewReply).rows: driver.Merge(schema.BlogRow(reply.Post), driver.Exists",
				"A reply merges its post in its own transaction, so one that comes after the post was deleted is refused, and none is left.",
				only("olga", leavingOut(driver.ActionMerge, "blog!")), unharmed),
			ablate("reply-revision", "reply-rule", "The posting rule in a reply", "permitted: driver.Merge(schema.PostingRuleRow(p.revision), driver.Exists)",
				"A reply requires the revision of the posting rule as a post does, so one that a user sent before the owner blocked them is refused.",
				only("ann", leavingOut(driver.ActionMerge, "posting!")), unharmed),
			ablate("reply-once", "reply-key", "The key of a reply", "(NewReply).rows: driver.Insert(n.once(),",
				"A reply inserts a row for its idempotency key, so the same form sent twice makes one reply.",
				always(leavingOut(driver.ActionInsert, "once!")), unharmed, among("vera", "vera2")),
			ablate("reply-index", "reply-forgotten", "The index before the post goes", "removeRows: s.deletions.RenewOpenBlog(ctx, row.Channel, row.ID)",
				"The deletion of a post that has replies is on the index of open deletions before the post is gone, so a pass finds the replies if the message is lost.",
				always(after(postOf, toBlog)), among("olga"), reordered),
			ablate("reply-version", "reply-forgotten", "The version of a post that goes", "removeRows: driver.Match(row.ETag)",
				"A post is removed in the version that was read, so one that was replied to meanwhile is not removed without the index.",
				only("olga", withoutMatch(schema.TableBlogs, "blog!")), among("olga", "vera"), func(s *lab.Scenario) { s.Setup = news("old") }),
			ablate("reply-touch", "reply-pass", "The write of the post before the index row goes", "(*Posts).complete: s.fence.TransactIfOpen(ctx, ref, driver.Merge(schema.BlogRow(id), driver.Exists, driver.String(schema.PropIncarnation, ref.Incarnation)))",
				"A pass gives a post that is still there a new version before it takes its deletion off the index, so the deletion begins again with the index.",
				only("reconcile", skipping(touchesPost)),
				unbounded, among("olga", "reconcile")),
			ablate("reply-left", "reply-forgotten", "What a pass removes", "(*Posts).complete: s.removeAbout(ctx, ref, id, func(int) {})",
				"A pass removes the replies to a post that is gone, so none is left whose message was lost.",
				nil, under(Shipped{AcceptedOnly: true, Workers: passRemovesNothing}), among("olga")),
			ablate("reply-listed", "reply-erasure", "The author's list before a reply", "(*Posts).Reply: s.lists.ListReply(ctx, reply)",
				"A reply is on its author's list before it is made, so a deletion of the account finds it.",
				only("vera", after(writesTo(schema.TableBlogs), func(c *driver.Call) bool {
					return writes(c, schema.TableUsers) && strings.HasPrefix(c.Operations[0].Row, "replied!")
				})), unharmed, reordered),
		},
		told:     map[lab.Kind]invariant{factReplied: outlived(replyStays), factUnreplied: replyIsGone},
		recalled: []lab.Kind{factReplied, factUnreplied},
		rest:     []demand{repliedOnce, replyHasPost},
	}
}

// passRemovesNothing makes a pass of fresh workers see no replies, from its look at the index on.
func passRemovesNothing() driver.Around {
	passing := false
	return func(ctx context.Context, c *driver.Call, next following) error {
		switch {
		case c.Method == driver.CallScan && c.Target == schema.TableDeletions:
			passing = true
		case passing && c.Method == driver.CallRange && strings.HasPrefix(c.From, "reply!"):
			return nil
		}
		return next(ctx)
	}
}

// touchesPost reports whether a call writes a post and nothing else.
func touchesPost(c *driver.Call) bool {
	return writes(c, schema.TableBlogs) && len(c.Operations) == 2 && c.Operations[1].Action == driver.ActionMerge
}
