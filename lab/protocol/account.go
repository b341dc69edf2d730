package protocol

import (
	"context"
	"errors"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Sessions and sign-in links of an account. Nothing expires here.

const (
	// factLinkMade: the sign-in link Token can be followed once.
	factLinkMade lab.Kind = "(link made)"
	// factFollowed: the actor has followed the link Token, and is signed in.
	factFollowed lab.Kind = "signed in"
	// factLinkUsed: another actor has followed the link Token, or the sessions of its user were
	// ended.
	factLinkUsed lab.Kind = "the link is used"
	// factSessionsEnded: no earlier session or link of the user signs in.
	factSessionsEnded lab.Kind = "sessions ended"
	// factSignedOut: the session Token no longer signs in.
	factSignedOut lab.Kind = "signed out"
	// factReset: a new password was set with the link Token. Session had begun before.
	factReset lab.Kind = "password set anew"
	// factFollowing: the actor follows the link Token, or sets a new password with it.
	factFollowing lab.Kind = "(following)"
	// factEnding: the actor ends all sessions of the user.
	factEnding lab.Kind = "(ending)"
)

// account is a set-up: the visitor has an account.
func account(ctx context.Context, c *lab.Client) {
	_ = driver.NewTable(c.Backend, schema.TableUsers).Transact(ctx, string(visitor),
		driver.Insert("", driver.Int64("Epoch", 0), driver.String("Password", lab.HashPassword(oldPassword)),
			driver.Time("CreatedOn", domain.Now()), driver.String("Revision", ""), driver.String("Revisions", ""))) // no call of a set-up fails
}

// makeLink makes a sign-in link for the visitor.
func makeLink(ctx context.Context, c *lab.Client) {
	if link, err := c.Store.Operator.SignInLink(ctx, visitor); err == nil {
		c.Links = append(c.Links, link)
		c.Tell(lab.Fact{Kind: factLinkMade, User: visitor, Token: link})
	}
}

// linkOf is the latest link that the actor has made, or else that of the set-up.
func linkOf(c *lab.Client) (link string) {
	for _, f := range c.Given {
		if f.Kind == factLinkMade {
			link = f.Token
		}
	}
	for _, made := range c.Links {
		link = made
	}
	return link
}

// follow follows the link of the actor, if there is one.
func follow(ctx context.Context, c *lab.Client) {
	link := linkOf(c)
	if link == "" {
		return
	}
	c.Tell(lab.Fact{Kind: factFollowing, Token: link})
	token, _, err := c.Store.Accounts.FollowSignInLink(ctx, link)
	switch {
	case err == nil:
		c.Tokens = append(c.Tokens, token)
		c.Tell(lab.Fact{Kind: factFollowed, Token: link, Session: token})
	case errors.Is(err, domain.ErrNotSignedIn):
		c.Tell(lab.Fact{Kind: factLinkUsed, Token: link})
	}
}

// reset sets a new password with the link of the set-up, as the actor of this name.
func reset(actor string) body {
	return func(ctx context.Context, c *lab.Client) {
		f := lab.Fact{Kind: factReset, Session: sessionOf(c), Token: linkOf(c)}
		c.Tell(lab.Fact{Kind: factFollowing, Token: f.Token})
		acknowledged(c, c.Store.Accounts.ResetPassword(ctx, f.Token, newPassword(actor)), f)
	}
}

func resetOnce(v lab.View, k lab.Known, violation violating) {
	violation.when(v.Count(factReset, nil) > 1, "I10", "one link set two passwords")
	violation.when(signsIn(v.DB, k.Session), "I10", "a session signs a user in although a new password was set after it began")
}

// signOut ends the sessions that the actor has.
func signOut(ctx context.Context, c *lab.Client) {
	for _, token := range c.Tokens {
		acknowledged(c, c.Store.Accounts.SignOut(ctx, token), lab.Fact{Kind: factSignedOut, Token: token})
	}
}

// endSessions ends all sessions of the visitor.
func endSessions(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factEnding, User: visitor})
	err := c.Store.Accounts.EndSessions(ctx, visitor) // it contends with others
	acknowledged(c, err, lab.Fact{Kind: factSessionsEnded, User: visitor})
}

func sessionHasEnded(v lab.View, k lab.Known, violation violating) {
	violation.when(signsIn(v.DB, k.Token), "I10", "a session signs a user in although its end was acknowledged")
}

func sessionsHaveEnded(v lab.View, _ lab.Known, violation violating) {
	violation.when(v.Count(factFollowed, func(k lab.Known) bool { return ofSetup(v, k.Token) && signsIn(v.DB, k.Session) }) > 0,
		"I10", "a sign-in link signs a user in although it was made before the end of all sessions")
}

func followedOnce(v lab.View, k lab.Known, violation violating) {
	violation.when(v.Count(factFollowed, func(other lab.Known) bool { return other.Token == k.Token }) > 1, "I10", "one sign-in link gave two sessions")
}

// usedByOthers: another actor set out to follow the link, or the same actor did before.
func usedByOthers(v lab.View, told lab.Known, violation violating) {
	others, attempts := 0, 0
	for k := range v.Facts() {
		switch {
		case k.Kind != factFollowing || k.Token != told.Token:
		case k.Actor != told.Actor:
			others++
		case k.At < told.At:
			attempts++ // the last of them is the one that was told
		}
	}
	ended := v.Count(factEnding, nil) > 0 || leaves(v, visitor)
	violation.when(!ended && others == 0 && attempts <= 1, "A4", "told that a sign-in link is used, and no other actor ever followed it")
}

// signsIn reports whether a session's token signs its user in.
func signsIn(db mem.Snapshot, token string) bool {
	row, err := db.Get(schema.TableSessions, schema.SessionPartition(token), "")
	if err != nil || row.Properties.Bool("Link") || row.Properties.Bool("Ended") {
		return false
	}
	user, err := db.Get(schema.TableUsers, row.Properties.String("User"), "")
	return err == nil && user.Properties.Int64("Epoch") == row.Properties.Int64("Epoch")
}

// ofSetup reports whether the set-up made a link: before anybody ended any session.
func ofSetup(v lab.View, link string) bool {
	return slices.ContainsFunc(v.Told[0], func(f lab.Fact) bool { return f.Kind == factLinkMade && f.Token == link })
}

// accounts have sessions and sign-in links, which must stay ended once they have.
func accounts() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "sign-out", About: "a user signs in by a link and out again, and delayed duplicates of the requests arrive",
				Faults: 2, DelayedCalls: anything, Setup: account,
				Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(makeLink, follow, signOut)}, {Name: "vera2", Run: endSessions}}},
			{Name: "link", About: "two people follow one sign-in link",
				Faults: 3, DelayedCalls: anything, Setup: lab.InTurn(account, makeLink),
				Actors: []lab.Actor{{Name: "vera", Run: follow}, {Name: "vera2", Run: follow, After: "vera"}}},
			{Name: "link-late", About: "a user makes a sign-in link and follows it twice, and delayed duplicates of the requests arrive",
				Faults: 2, DelayedCalls: anything, Setup: account, Actors: []lab.Actor{{Name: "vera", Run: lab.InTurn(makeLink, follow, follow)}}},
			{Name: "link-ended", About: "a user follows a sign-in link while all sessions are ended",
				Faults: 3, DelayedCalls: anything, Setup: lab.InTurn(account, makeLink),
				Actors: []lab.Actor{{Name: "vera", Run: follow}, {Name: "vera2", Run: endSessions}}},
			{Name: "reset", About: "two people set a new password with one link, while a third signs in with it",
				Faults: 3, DelayedCalls: anything, Setup: withAccount(makeLink),
				Actors: []lab.Actor{{Name: "vera", Run: reset("vera")}, {Name: "thief", Run: reset("thief")}, {Name: "vera2", Run: follow}}},
		},
		ablations: []ablation{
			ablate("reset-epoch", "reset", "The epoch of a reset link", "ResetPassword: epochOf(now) != epochOf(row)",
				"A new password is set in the epoch in which the link was made, and begins another, so one link sets one password.",
				always(epochOfUser(true, 0)), unharmed),
			ablate("ended", "sign-out", "The mark of a session's end", "(*Accounts).SignOut: driver.Merge(schema.SingleRow, driver.Exists, driver.Bool(schema.PropEnded, true))",
				"Signing out sets the session's row to ended and keeps it, so a delayed duplicate of its insert fails.",
				always(withoutMark(false)), among("vera")),
			ablate("used", "link-late", "The mark of a used link", "useLink: driver.Bool(schema.PropEnded, true)",
				"A sign-in link that was used keeps its row, so a delayed duplicate cannot bring it back and a self-conflict can be recognised.",
				always(withoutMark(true))),
			ablate("link-version", "link", "The version of a link", "(Pause).Change: driver.Match(now.ETag)",
				"A link is set to used in the version that was read, so of two people one is refused.",
				always(withoutMatch(schema.TableSessions, "")), unharmed),
			ablate("used-by", "link", "Who used the link", "(Pause).Change: Bears(now.Properties, mine)",
				"The row of a used link says which request used it, so a request recognises a conflict with its own earlier write.",
				always(withoutProperty(schema.TableSessions, "Revisions")), among("vera")),
			ablate("link-epoch", "link-ended", "The epoch of a link", "FollowSignInLink: epochOf(user) != epochOf(used)",
				"A link carries the epoch that the account had when the link was made, so it ends together with all sessions.",
				always(epochOfUser(true, 0)), unharmed),
		},
		told: map[lab.Kind]invariant{
			factReset: resetOnce, factSignedOut: sessionHasEnded, factSessionsEnded: sessionsHaveEnded, factFollowed: followedOnce, factLinkUsed: usedByOthers,
		},
	}
}

// epochOfUser reads a sign-in link, or a session, as one of the epoch that its user is in, or
// was in so many epochs ago.
func epochOfUser(link bool, ago int64) func() driver.Around {
	return stateless(func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		row := c.Entity
		if err != nil || c.Method != driver.CallGet || c.Target != schema.TableSessions || row.Properties.Bool("Link") != link {
			return err
		}
		c.Target, c.Partition = schema.TableUsers, row.Properties.String("User")
		if next(ctx) == nil {
			set(&row, driver.Int64("Epoch", c.Entity.Properties.Int64("Epoch")-ago))
		}
		c.Entity = row
		return nil
	})
}

// withoutMark deletes the row of a session, or of a link that is used, instead of marking
// it as ended.
func withoutMark(ofLink bool) func() driver.Around {
	return sending(func(c *driver.Call) {
		if writes(c, schema.TableSessions) && c.Operations[0].Action == driver.ActionMerge {
			mark := c.Operations[0]
			if used := mark.Properties.String("Revision") != ""; used == ofLink {
				c.Operations = []driver.Operation{driver.Delete(mark.Row, mark.If)}
			}
		}
	})
}
