package protocol

import (
	"context"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/atrest"
	"microblogging/storage/schema"
)

// The laws: the invariants of package domain, over the store and against what clients were told.

// Shipped are the laws of the shipped code: the invariants of package domain, over
// the store and against what clients were told.
type Shipped struct {
	// NoReconcile leaves the reconciling pass out of what fresh workers do in the
	// end.
	NoReconcile bool
	// AcceptedOnly asks for the end of those deletions alone that were accepted or recorded:
	// where the queue loses a message, a request may die and leave nothing else.
	AcceptedOnly bool
	// Refuses tells that some work is refused. Otherwise nothing may be poisoned: a store that
	// does not answer makes no poison.
	Refuses bool
	// TrustJoined lets the feeds that are read at rest believe each user's row that says
	// joined.
	TrustJoined bool
	// TrustClocks lets the fresh workers take a record from a clock that was ahead for a fresh
	// one.
	TrustClocks bool
}

// List implements Laws: the invariants of package domain, and the anomaly that is about
// what clients are told.
func (Shipped) List() []lab.Law {
	return []lab.Law{
		{Name: "I1", Title: "no orphan", When: lab.AtRest, Means: "When all is at rest, each row belongs to a channel that is there."},
		{Name: "I2", Title: "no collateral", When: lab.Always, Means: "Deleting one channel never touches another, even one that has the same name later."},
		{Name: "I3", Title: "no lost post", When: lab.Always, Means: "A post that was accepted can be read until it is removed, and then never again."},
		{Name: "I4", Title: "no ghost read", When: lab.Always, Means: "Once a deletion is accepted, nobody is shown the channel or its posts."},
		{Name: "I5", Title: "it ends", When: lab.AtRest, Means: "Each deletion that was accepted is done in the end, or waits where an operator sees it."},
		{Name: "I6", Title: "repeatable", When: lab.Finally, Means: "Handling a message again, late, or twice at once changes nothing more."},
		{Name: "I7", Title: "one post", When: lab.AtRest, Means: "A request that is sent twice makes one post, or one channel."},
		{Name: "I8", Title: "indexes agree", When: lab.AtRest, Means: "Each post stands once in the index by rating, and its rating is the sum of its votes."},
		{Name: "I9", Title: "gates", When: lab.AtRest, Means: "Each active channel has its own open gate and no other, and that gate opens only once."},
		{Name: "I10", Title: "what ended stays ended", When: lab.Always, Means: "A session that has ended signs nobody in, and a link or an address that was used up or revoked never works again."},
		{Name: "A4", Title: "no echo", When: lab.Always, Means: "Nobody is refused because of their own earlier request, and no message is handled for ever."},
	}
}

// State is I3, I4 and the law that clients are told the truth. What a client was
// told holds in every later state.
func (l Shipped) State(v lab.View) []domain.Breach {
	var breaches []domain.Breach
	breach := func(law, format string, args ...any) {
		breaches = append(breaches, breachOf(law, format, args...))
	}
	v.Each(func(actor, at int, f lab.Fact) {
		switch f.Kind {
		case lab.Created:
			if !asked(v, f.Channel) && !live(v.DB, f.Channel) {
				breach("I3", "a client was told that a channel was created (%s), and it is not there behind its open gate, and nobody asked for its deletion",
					string(f.Channel.Incarnation))
			}
		case lab.Taken:
			if ownEcho(v, actor) || f.Key != "" && ownKey(v, f) {
				breach("A4", "told that the name belongs to somebody else, and nobody else ever had it")
			}
		case lab.Refused:
			// A row can land after its creator has given up. Nobody was told that it was
			// created; it can be read until it is deleted again.
			if !asked(v, f.Channel) && v.Has(lab.Created, func(g lab.Fact) bool { return g.Channel == f.Channel }) {
				breach("A4", "told that the channel is gone, and nobody asked for its deletion")
			}
		case lab.Accepted:
			// A row without gates is no breach: an insert of the creation was still under
			// way when the channel was seen and deleted. Its creator deletes the row, or
			// else the reconciling pass.
			if live(v.DB, f.Channel) {
				breach("I4", "a channel can be read, and its deletion was accepted (%s)", string(f.Channel.Incarnation))
			}
		case lab.Voted, lab.Unvoted, lab.Subscribed, lab.Left:
			mark(v, actor, at, f, breach)
		case lab.Shown:
			shown(v, actor, at, f, breach)
		case lab.Fed:
			fed(v, actor, at, f, breach)
		case lab.SignedOut, lab.SessionsEnded, lab.Followed, lab.LinkUsed, lab.AddressRevoked:
			ofAccount(v, actor, at, f, breach)
		case lab.SignedUp, lab.NameTaken, lab.PasswordChanged, lab.Guessed:
			ofPassword(v, actor, at, f, breach)
		default:
			l.post(v, f, breach)
		}
	})
	return append(append(breaches, l.poison(v)...), misplaced(v)...)
}

// Rest is all invariants at quiescence. Fresh workers run until nothing moves.
// Then the program's own checker, the plain reading of package atrest and what
// only the lab knows (the messages, and what clients were told) must agree that
// nothing is wrong.
func (l Shipped) Rest(v lab.View) lab.Outcome {
	ctx := context.Background()
	c := newCrew(v.DB, l.TrustClocks)
	kept := outdated(ctx, c.store, v)
	err := c.quiesce(ctx, !l.NoReconcile)
	if err == nil {
		err = c.requeue(ctx)
	}
	outcome := lab.Outcome{DB: c.db.Snapshot(), Deeds: c.deeds, Unfinished: err != nil}
	if err != nil {
		outcome.Breaches = []domain.Breach{breachOf("I5", "%v", err)}
		return outcome
	}
	outcome.Breaches = l.settled(ctx, c, v)
	if kept == nil {
		kept = outdated(ctx, c.store, v)
	}
	outcome.Breaches = append(outcome.Breaches, kept...)
	return outcome
}

// settled is what is wrong once the crew has come to rest.
func (l Shipped) settled(ctx context.Context, c *crew, v lab.View) []domain.Breach {
	breaches := append(c.check(ctx), c.strangers(ctx, l.TrustJoined)...)
	if err := c.readFeeds(ctx); err != nil {
		breaches = append(breaches, breachOf("I8", "%v", err))
	}
	plain, err := atrest.Breaches(ctx, c.db)
	if err != nil {
		return []domain.Breach{breachOf("I5", "%v", err)}
	}
	breaches = append(breaches, plain...)
	v.DB = c.db.Snapshot()
	breaches = append(breaches, l.unfinished(v)...)
	breaches = append(breaches, lostUnread(v)...)
	breaches = append(breaches, unlisted(v)...)
	breaches = append(breaches, twiceMade(v)...)
	breaches = append(breaches, uncounted(v)...)
	breaches = append(breaches, l.State(v)...)
	if breaches != nil {
		return breaches
	}
	return c.again(ctx, v, l.neverAccepted)
}

// twiceMade is I7. In the lab, requests with the same key have the same text,
// and no others do.
func twiceMade(v lab.View) (breaches []domain.Breach) {
	made := map[string]string{}
	v.Each(func(_, _ int, f lab.Fact) {
		request, answer, what := string(f.Channel.Incarnation)+"!"+string(f.User)+"!"+f.Key, string(f.Blog), "posts"
		switch {
		case f.Kind == lab.Created && f.Key != "":
			request, answer, what = string(f.User)+"!"+f.Key, string(f.Channel.Incarnation), "channels"
		case f.Kind != lab.Posted:
			return
		}
		if first, ok := made[request]; ok && first != answer {
			breaches = append(breaches, breachOf("I7", "one idempotency key was answered with two %s", what))
		}
		made[request] = answer
	})
	texts := map[string]bool{}
	for row := range v.DB.Rows(schema.TableBlogs) {
		if !strings.HasPrefix(row.Row, "blog!") {
			continue
		}
		key := row.Partition + "!" + row.Properties.String("UserId") + "!" + row.Properties.String("Text")
		if texts[key] {
			breaches = append(breaches, breachOf("I7", "one idempotency key made two posts"))
		}
		texts[key] = true
	}
	return breaches
}

func hasRow(db mem.Snapshot, table string, ref domain.ChannelRef, row string) bool {
	_, err := db.Get(table, string(ref.Key), row)
	return err == nil
}

// breachOf is a breach that no single row shows.
func breachOf(invariant, format string, args ...any) domain.Breach {
	return domain.Breach{Invariant: invariant, Detail: fmt.Sprintf(format, args...)}
}
