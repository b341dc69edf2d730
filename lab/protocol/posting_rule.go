package protocol

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Who may post, besides the owner.

const (
	// factRuled: the rule Key was acknowledged. Page are the posts that were there after that, each on a line with
	// its text.
	factRuled lab.Kind = "ruled"
	// factRuling: the actor makes the rule Key.
	factRuling lab.Kind = "(ruling)"
	// factShownRule: a page has said whether everybody may post. It is the answer to what the actor
	// was looking for.
	factShownRule lab.Kind = "(shown who may post)"
	// factForbidden: the user may not post, and the post with this key is not there.
	factForbidden lab.Kind = "may not post"
)

// The rules that an owner makes.
const (
	closed    = "closed to all but the owner"
	opened    = "open to all"
	blocked   = "ann blocked"
	unblocked = "ann unblocked"
	unlisted  = "open to an empty list"
)

// createClosed creates a channel for its owner alone.
func createClosed(ctx context.Context, c *lab.Client) {
	channel, err := domain.NewChannel(string(channelName), domain.About{}, owner)
	if err == nil {
		channel, _, err = c.Store.Channels.Create(ctx, channel, domain.PostersOwner, "", 0)
	}
	acknowledged(c, err, lab.Fact{Kind: factRuled, Channel: channel.Ref(), Key: closed, Words: closed})
}

// createThenClose creates a channel, and closes it only then.
func createThenClose(ctx context.Context, c *lab.Client) {
	channel, made := makeChannel(ctx, c, channelName, owner, "")
	if !made {
		return
	}
	err := c.Store.Posts.SetRule(ctx, channel, owner, domain.PostersOwner)
	acknowledged(c, err, lab.Fact{Kind: factRuled, Channel: channel.Ref(), Key: closed, Words: closed})
}

// govern makes rules, one after the other.
func govern(rules ...string) body {
	postings := map[string]domain.Posting{
		closed: {Posters: domain.PostersOwner}, opened: {Posters: domain.PostersOpen}, unlisted: {Posters: domain.PostersMembers},
	}
	return onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		for _, rule := range rules {
			c.Tell(lab.Fact{Kind: factRuling, Channel: channel.Ref(), Key: rule})
			var err error
			switch rule {
			case blocked:
				err = c.Store.Posts.Block(ctx, channel, owner, domain.User{Name: author})
			case unblocked:
				err = c.Store.Posts.Unblock(ctx, channel, owner, author)
			default:
				err = c.Store.Posts.ChangeRule(ctx, channel, owner, func(now *domain.Posting) error {
					now.Posters, now.Members = postings[rule].Posters, postings[rule].Members
					return nil
				})
			}
			if err != nil {
				continue
			}
			// A post or an edit that lands before this read counts as one from before the answer.
			page, err := c.Store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{Limit: feedLimit})
			var there []string
			for _, post := range page.Items {
				there = append(there, string(post.ID)+" "+post.Text)
				if post.RepliedOn.IsZero() {
					continue
				}
				replies, unread := c.Store.Posts.Replies(ctx, post.Channel, post.ID, "", feedLimit)
				err = cmp.Or(err, unread)
				for _, reply := range replies.Items {
					there = append(there, string(post.ID)+"!"+string(reply.ID)+" "+reply.Text)
				}
			}
			acknowledged(c, err, lab.Fact{Kind: factRuled, Channel: channel.Ref(), Key: rule, Page: strings.Join(there, "\n"), Words: rule})
		}
	})
}

// ruleApplies is I11: a rule that was acknowledged is in the store, and no post or edit that it
// forbids takes effect, until an actor begins to take the rule back.
func ruleApplies(v lab.View, k lab.Known, violation violating) {
	contrary := map[string]string{closed: opened, opened: closed, blocked: unblocked, unblocked: blocked}[k.Key]
	if !live(v.DB, k.Channel) || v.Count(factRuling, func(f lab.Known) bool {
		return f.Key == contrary && (f.Actor != k.Actor || f.At > k.At)
	}) > 0 {
		return
	}
	const opens = "open"
	from, _ := schema.PostingRule.Range()
	gate, _ := v.DB.Get(schema.TableBlogs, string(k.Channel.Key), schema.OpenGateRow(k.Channel.Incarnation))
	rule, names, members := cmp.Or(gate.Properties.String("Posting"), opens), "", ""
	for row := range v.DB.Rows(schema.TableBlogs) {
		p := row.Properties
		if row.Partition != string(k.Channel.Key) || p.String("Incarnation") != string(k.Channel.Incarnation) {
			continue
		}
		if strings.HasPrefix(row.Row, from) {
			rule, names, members = p.String("Posting"), p.String("Blocked"), p.String("Members")
		}
		id, isPost := strings.CutPrefix(row.Row, schema.Blog.Prefix())
		if reply, isReply := strings.CutPrefix(row.Row, schema.Reply.Prefix()); isReply {
			id, isPost = reply, true
		}
		forbids := (k.Key == closed || k.Key == unlisted) && p.String("UserId") != string(owner) || k.Key == blocked && p.String("UserId") == string(author)
		if isPost && forbids && !slices.Contains(strings.Split(k.Page, "\n"), id+" "+p.String("Text")) {
			violation("I11", "a post or reply of %s has landed, or an edit, after the owner was told: %s", p.String("UserId"), k.Key)
		}
	}
	is := map[string]bool{
		closed: rule == "owner", opened: rule == opens, blocked: names != "", unblocked: names == "",
		unlisted: rule == "members" && members == "",
	}
	if !is[k.Key] {
		violation("I11", "the channel is not %s, which was acknowledged", k.Key)
	}
}

// forbiddenIsNowhere: no post is there of which its author was told that they may not make it.
func forbiddenIsNowhere(v lab.View, k lab.Known, violation violating) {
	for row := range v.DB.Rows(schema.TableBlogs) {
		p := row.Properties
		if row.Partition == string(k.Channel.Key) && p.String("UserId") == string(k.User) && p.String("Text") == k.Key {
			violation("A4", "%s was told that they may not post, and the post is there", string(k.User))
		}
	}
}

// lookAtRule looks twice at who may post, in one process, which keeps what it has read.
func lookAtRule() body {
	return looking(2, func(ctx context.Context, c *lab.Client, kept shelf) (lab.Fact, error) {
		page, err := channel.ReadCached(ctx, c.Store.Channels, kept, channelKey.Address(), "rule",
			func(ctx context.Context, in domain.Channel, _ storage.Version) (string, error) {
				g, err := c.Store.Posts.PostingRule(ctx, in)
				return string(g.Posters), err
			})
		return lab.Fact{Kind: factShownRule, Channel: page.Channel.Ref(), Page: page.Value, Words: "posting: " + page.Value}, err
	})
}

// shownRule compares what a page says with what was acknowledged before its reader asked for it.
func shownRule(_ lab.View, f lab.Known, before []lab.Known, violation violating) {
	for _, k := range before {
		violation.when(k.Kind == factRuled && k.Key == closed && k.Channel == f.Channel && f.Page == "open",
			"I11", "a page offers to post, and before that the channel was closed")
	}
}

// isPostingRule reports whether a row says who may post.
func isPostingRule(op driver.Operation) bool { return schema.PostingRule.Has(op.Row) }

// looksFirst reads the version of the gate after the look that nothing says who may post.
func looksFirst() driver.Around {
	var gate *driver.Call
	var version driver.ETag
	return func(ctx context.Context, c *driver.Call, next following) error {
		switch {
		case c.Method == driver.CallGet && strings.HasPrefix(c.Row, "gate!open!"):
			asked := *c
			gate, c.Entity.ETag = &asked, "later"
			return nil
		case gate != nil && c.Method == driver.CallRange && c.From == schema.PostingRule.Prefix():
			err := next(ctx)
			look := *c
			*c, gate = *gate, nil
			if err == nil {
				err = next(ctx)
			}
			version = c.Entity.ETag
			*c = look
			return err
		case len(c.Operations) > 0:
			if _, ok := c.Operations[0].If.ETag(); ok {
				c.Operations = slices.Clone(c.Operations)
				c.Operations[0].If = driver.Match(version)
			}
		}
		return next(ctx)
	}
}

// refusedOutright finds no post that a user made before they were refused.
func refusedOutright() driver.Around {
	refused := false
	return func(ctx context.Context, c *driver.Call, next following) error {
		if refused && c.Method == driver.CallGet && strings.HasPrefix(c.Row, "once!") {
			return domain.ErrNotFound
		}
		err := next(ctx)
		for _, row := range c.Page.Rows {
			refused = refused || schema.PostingRule.Has(row.Row) && row.Properties.String("Blocked") != ""
		}
		return err
	}
}

// contented changes no rule that is as it should be.
func contented() driver.Around {
	var rule driver.Properties
	return func(ctx context.Context, c *driver.Call, next following) error {
		at := slices.IndexFunc(c.Operations, func(op driver.Operation) bool { return op.Action == driver.ActionInsert && isPostingRule(op) })
		if at >= 0 && slices.Equal(c.Operations[at].Properties, rule) {
			return nil
		}
		err := next(ctx)
		for _, row := range c.Page.Rows {
			if schema.PostingRule.Has(row.Row) {
				rule = row.Properties
			}
		}
		return err
	}
}

// listAuthor is a set-up: the author is the only member, and no actor was told so, who would take it back.
func listAuthor(ctx context.Context, c *lab.Client) {
	onChannel(func(ctx context.Context, c *lab.Client, channel domain.Channel) {
		_ = c.Store.Posts.ChangeRule(ctx, channel, owner, func(now *domain.Posting) error {
			now.Posters, now.Members = domain.PostersMembers, []domain.User{{Name: author}}
			return nil
		})
	})(ctx, c)
}

// untouched is a set-up: the channel as it was created.
func untouched(ctx context.Context, c *lab.Client) { makeChannel(ctx, c, channelName, owner, "") }

// Users post, and owners say who may.
func postingRule() subject {
	ann, vera := lab.Actor{Name: "ann", Run: post(author, "new")}, lab.Actor{Name: "vera", Run: post(visitor, "too")}
	return subject{
		scenarios: []lab.Scenario{
			{Name: "posting", About: "a user is blocked while they post, twice with one key, and a request is delayed",
				Faults: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "ann", Run: lab.InTurn(post(author, "new"), post(author, "new"))}, {Name: "olga", Run: govern(blocked)}}},
			{Name: "posting-edit", About: "a user is blocked while they edit a post of theirs, and a request is delayed",
				Faults: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{{Name: "ann", Run: edit("old", "other")}, {Name: "olga", Run: govern(blocked)}}},
			{Name: "posting-first", About: "two people post to a channel where only its owner has posted, while it is closed to them",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: untouched,
				Actors: []lab.Actor{ann, vera, {Name: "olga", Run: govern(closed)}}},
			{Name: "posting-new", About: "a channel is created for its owner alone, and another user posts as soon as it is seen",
				Faults: 1, Preemptions: 2, DelayedCalls: anything,
				Actors: []lab.Actor{{Name: "olga", Run: createClosed}, vera}},
			{Name: "posting-members", About: "a member is taken off the list while they post, and a request is delayed",
				Faults: 2, DelayedCalls: anything, Setup: lab.InTurn(news("old"), listAuthor),
				Actors: []lab.Actor{ann, {Name: "olga", Run: govern(unlisted)}}},
			{Name: "posting-again", About: "a channel is closed, opened and closed again, and requests are delayed",
				Faults: 2, Preemptions: 2, DelayedCalls: anything, Setup: news("old"),
				Actors: []lab.Actor{ann, {Name: "olga", Run: govern(closed, opened, closed)}}},
			{Name: "posting-two", About: "an owner closes a channel on one device and blocks a user on another",
				Faults: 1, Preemptions: 2, DelayedCalls: anything, Setup: untouched,
				Actors: []lab.Actor{ann, {Name: "olga", Run: govern(closed)}, {Name: "olga2", Run: govern(blocked, unblocked)}}},
			{Name: "posting-page", About: "a process keeps a page that says who may post, while its owner closes the channel",
				Faults: 1, Preemptions: 3, DelayedCalls: writesTo(schema.TableBlogs), Setup: news("old"),
				Actors: []lab.Actor{{Name: "reader", Run: lookAtRule()}, {Name: "olga", Run: govern(closed)}}},
			{Name: "posting-deletion", About: "a channel is closed while it is deleted and its name is taken again",
				Faults: 1, Preemptions: 2, DelayedCalls: writesTo(schema.TableBlogs), Setup: queued("old"),
				Actors: []lab.Actor{{Name: "olga", Run: govern(closed)}, worker1(), {Name: "ann", Run: createAndPost(author, "new")}, vera}},
		},
		ablations: []ablation{
			ablate("posting-revision", "posting", "The revision of the posting rule", "permitted: driver.Merge(schema.PostingRuleRow(p.revision), driver.Exists)",
				"A post of another user merges the posting rule by which it was allowed, so it fails once the owner has changed the rule.",
				only("ann", leavingOut(driver.ActionMerge, "posting!")), unharmed),
			ablate("posting-edit-revision", "posting-edit", "The revision in an edit", "(*Posts).Update: s.permitted(ctx, p,",
				"An edit of another user merges the posting rule, as a post does, so it fails once the owner has changed the rule.",
				only("ann", leavingOut(driver.ActionMerge, "posting!")), unharmed),
			ablate("posting-replace", "posting", "A new revision for each rule", "replace: driver.Delete(schema.PostingRuleRow(former), driver.Exists)",
				"A change replaces the row with one of a new revision, so what was sent under the former rule fails.",
				only("olga", leavingOut(driver.ActionDelete, "posting!")), unharmed),
			ablate("posting-version", "posting-first", "The version of the gate", "TransactIfVersion: driver.Match(version)",
				"The first row that says who may post is put up in the version of the gate that was read, so there is never a second.",
				always(withoutMatch(schema.TableBlogs, "gate!open!")), unharmed),
			ablate("posting-look", "posting-first", "The version before the look", "ruleAndVersion: version, first, err := s.fence.GateVersion(ctx, ref)",
				"The version of the gate is read before the look that there is no such row yet, so a row that is put up in between makes the other fail.",
				always(looksFirst), unharmed),
			ablate("posting-new-gate", "posting-new", "The rule of a new gate", "(*Fence).OpenGate: driver.String(schema.PropPosting, posters)",
				"The gate of a new channel is inserted with who may post, so no post of another user lands before the first rule.",
				nil, unharmed, func(s *lab.Scenario) { s.Actors[0].Run = createThenClose }),
			ablate("posting-member-revision", "posting-members", "The revision of a list", "permitted: driver.Merge(schema.PostingRuleRow(p.revision), driver.Exists)",
				"A member’s post merges the posting rule whose list it was allowed by, so it fails once the member is taken off.",
				only("ann", leavingOut(driver.ActionMerge, "posting!")), unharmed),
			ablate("posting-earlier", "posting", "What was posted before", "(*Posts).refuse: s.lookForEarlier(ctx, open)",
				"Before a user is told that they may not post, their key is looked up, so a post that took effect earlier is reported as made.",
				only("ann", refusedOutright)),
			ablate("posting-anew", "posting-again", "A new revision in any case", "(*Posts).ChangeRule: s.replace(ctx, in.Ref(), now, version)",
				"The rule gets a new revision even if it is already as its owner wants it, so an earlier request that was never answered fails from then on.",
				only("olga", contented)),
			merging("posting-gate", "posting-page", "olga", "The gate of a rule", "replace: s.fence.TransactIfOpen(ctx, ref,",
				"A change of who may post merges the open gate, so a page that offers to post has an old version."),
		},
		told:     map[lab.Kind]invariant{factRuled: ruleApplies, factForbidden: forbiddenIsNowhere, factShownRule: looked(shownRule)},
		recalled: []lab.Kind{factRuled},
	}
}
