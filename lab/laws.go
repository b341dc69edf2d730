package lab

import (
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// Shipped are the laws of the shipped code: the invariants of package domain, over
// the store and against what clients were told.
type Shipped struct {
	// NoReconcile leaves the reconciling pass out of what fresh workers do in the
	// end.
	NoReconcile bool
	// AcceptedOnly asks for the end of those deletions alone that were accepted or recorded:
	// where the queue loses a message, a request may die and leave nothing else.
	AcceptedOnly bool
	// Copies is how many copies of one message the poison queue may hold. It is 0
	// unless some work is refused: a store that does not answer makes no poison.
	Copies int
	// TrustJoined lets the feeds that are read at rest believe each user's row that says
	// joined.
	TrustJoined bool
}

// List implements Laws: the invariants of package domain, and the anomaly that is about
// what clients are told.
func (Shipped) List() []Law {
	return []Law{
		{"I1", "no orphan", AtRest}, {"I2", "no collateral", Always}, {"I3", "no lost post", Always}, {"I4", "no ghost read", Always},
		{"I5", "it ends", AtRest}, {"I6", "repeatable", Finally}, {"I7", "one post", AtRest}, {"I8", "indexes agree", AtRest},
		{"I9", "gates", AtRest}, {"I10", "what ended stays ended", Always}, {"A4", "no echo", Always},
	}
}

// Step is I2: a worker that handles a message about one incarnation touches no row
// of another.
func (Shipped) Step(told []Fact, call *Call, changes []mem.Change) []domain.Breach {
	var of domain.Incarnation
	for _, fact := range told {
		if fact.Kind == Handling {
			of = fact.Channel.Incarnation
		}
	}
	if of == "" {
		return nil
	}
	var breaches []domain.Breach
	for _, change := range changes {
		touched := change.Before
		if touched.ETag == "" {
			touched = change.After
		}
		if other := incarnationOf(call.Target, touched); other != "" && other != string(of) {
			breaches = append(breaches, breachOf("I2", "a worker that handles a message about %s touches %s of %s",
				string(of), nameRow(call.Target, touched.Row), other))
		}
	}
	return breaches
}

// incarnationOf is the incarnation that a row belongs to, or empty if the row
// outlives incarnations.
func incarnationOf(table string, row driver.Entity) string {
	switch table {
	case tableChannels, tableBlogs:
		return row.Properties.String("Incarnation")
	case tableSubscriptions:
		_, incarnation, _ := strings.Cut(row.Row, "!")
		return incarnation
	default:
		return ""
	}
}

// State is I3, I4 and the law that clients are told the truth. What a client was
// told holds in every later state.
func (l Shipped) State(v View) []domain.Breach {
	var breaches []domain.Breach
	breach := func(law, format string, args ...any) {
		breaches = append(breaches, breachOf(law, format, args...))
	}
	v.each(func(actor, at int, f Fact) {
		switch f.Kind {
		case Created:
			if !asked(v, f.Channel) && !live(v.DB, f.Channel) {
				breach("I3", "a client was told that a channel was created (%s), and it is not there behind its open gate, and nobody asked for its deletion",
					string(f.Channel.Incarnation))
			}
		case Taken:
			if ownEcho(v, actor) || f.Key != "" && ownKey(v, f) {
				breach("A4", "told that the name belongs to somebody else, and nobody else ever had it")
			}
		case Refused:
			// A row can land after its creator has given up. Nobody was told that it was
			// created; it can be read until it is deleted again.
			if !asked(v, f.Channel) && v.has(Created, func(g Fact) bool { return g.Channel == f.Channel }) {
				breach("A4", "told that the channel is gone, and nobody asked for its deletion")
			}
		case Accepted:
			// A row without gates is no breach: an insert of the creation was still under
			// way when the channel was seen and deleted. Its creator deletes the row, or
			// else the reconciling pass.
			if live(v.DB, f.Channel) {
				breach("I4", "a channel can be read, and its deletion was accepted (%s)", string(f.Channel.Incarnation))
			}
		case Voted, Unvoted, Subscribed, Left:
			mark(v, actor, at, f, breach)
		case Shown:
			shown(v, actor, at, f, breach)
		case Fed:
			fed(v, actor, at, f, breach)
		case SignedOut, SessionsEnded, Followed, LinkUsed, AddressRevoked:
			ofAccount(v, actor, at, f, breach)
		default:
			l.post(v, f, breach)
		}
	})
	return append(append(breaches, l.poison(v)...), misplaced(v)...)
}

// misplaced is the part of I2 about users who have read an incarnation: what they sent
// since is in no other, acknowledged or not.
func misplaced(v View) (breaches []domain.Breach) {
	v.each(func(_, _ int, f Fact) {
		if f.Kind != Read {
			return
		}
		found := func(what, incarnation string) {
			if incarnation != string(f.Channel.Incarnation) {
				breaches = append(breaches, breachOf("I2", "%s of %s was made for %s, and is found in %s",
					what, f.User, string(f.Channel.Incarnation), incarnation))
			}
		}
		for row := range v.DB.Rows(tableBlogs) {
			switch {
			case row.Partition != string(f.Channel.Key):
			case row.Row == "sub!"+string(f.User):
				found("a subscription", incarnationOf(tableBlogs, row))
			case row.Properties.String("UserId") == string(f.User):
				found("a post", incarnationOf(tableBlogs, row))
			}
		}
		for row := range v.DB.Rows(tableSubscriptions) {
			if row.Partition == string(f.User) {
				found("a feed's row", incarnationOf(tableSubscriptions, row))
			}
		}
	})
	return breaches
}

// poison is the part of I5 about poison: only what was refused is poisoned, and one
// message makes at most one copy.
func (l Shipped) poison(v View) (breaches []domain.Breach) {
	copies := map[string]int{}
	for _, m := range v.DB.Messages(domain.PoisonQueueName) {
		asks := m.Text
		if message, err := domain.DecodeMessage(m.Text); err == nil {
			asks = message.Intent().Encode()
		}
		copies[asks]++
	}
	for _, n := range copies {
		if n > l.Copies {
			breaches = append(breaches, breachOf("I5", "%d copies of one message are on the poison queue, and %d may be", n, l.Copies))
		}
	}
	if l.Copies > 0 {
		return breaches
	}
	for row := range v.DB.Rows(tableDeletions) {
		if row.Properties.String("State") == string(domain.DeletionPoisoned) {
			breaches = append(breaches, breachOf("I5", "a deletion is recorded as poisoned, and nothing was refused"))
		}
	}
	return breaches
}

// post compares the state with what was told about posts.
func (l Shipped) post(v View, f Fact, breach func(law, format string, args ...any)) {
	row, there := blogRow(v.DB, f.Channel, f.Blog)
	kept := !v.askedBlog(f.Blog) && !asked(v, f.Channel)
	switch f.Kind {
	case Posted:
		if kept && !(there && live(v.DB, f.Channel)) {
			breach("I3", "an acknowledged post is gone, and nobody asked for that")
		}
	case Removed:
		if there {
			breach("I3", "a post can be read, and its deletion was acknowledged")
		}
	case Edited:
		if there && row.String("Text") != f.Key && editors(v, f.Blog) == 1 {
			breach("I3", "an acknowledged edit is lost: the post reads %q", row.String("Text"))
		}
	}
}

// mark compares the state with what was told about votes and subscriptions.
func mark(v View, actor, at int, f Fact, breach func(law, format string, args ...any)) {
	if f.Blog != "" && v.askedBlog(f.Blog) || asked(v, f.Channel) {
		return
	}
	voted := hasRow(v.DB, tableBlogs, f.Channel, "vote!"+string(f.Blog)+"!"+string(f.User))
	subscribed := hasRow(v.DB, tableBlogs, f.Channel, "sub!"+string(f.User))
	switch {
	case f.Kind == Voted && !voted && !undone(v, actor, at, f, Unvoting, Unvoted):
		breach("I8", "an acknowledged vote is lost")
	case f.Kind == Unvoted && voted && !undone(v, actor, at, f, Voting, Voted):
		breach("I8", "a vote counts, and its removal was acknowledged")
	case f.Kind == Subscribed && !subscribed && !undone(v, actor, at, f, Leaving, Left):
		breach("I8", "an acknowledged subscription is lost")
	case f.Kind == Left && subscribed && !undone(v, actor, at, f, Joining, Subscribed):
		breach("I8", "a user counts as a subscriber, and their leaving was acknowledged")
	}
}

func editors(v View, id domain.BlogID) (n int) {
	v.each(func(_, _ int, f Fact) {
		if f.Kind == Editing && f.Blog == id {
			n++
		}
	})
	return n
}

// undone tells whether another request may have undone what f tells: one of another
// actor, a later one of the same actor, or an earlier one that was never answered
// and may still take effect. What the set-up did was answered before. sets and answered are
// the kinds of such a request.
func undone(v View, actor, at int, f Fact, sets, answered Kind) (may bool) {
	open := false
	v.each(func(a, i int, g Fact) {
		if g.Channel != f.Channel || g.User != f.User || g.Blog != f.Blog {
			return
		}
		switch {
		case a == setupIndex && actor != setupIndex:
		case a != actor || i > at:
			may = may || g.Kind == sets
		case g.Kind == sets:
			open = true
		case g.Kind == answered:
			open = false
		}
	})
	return may || open
}

// asked tells whether the deletion of this incarnation was asked for, by a message
// or by the mark of an actor that asks.
func asked(v View, ref domain.ChannelRef) bool {
	if v.askedChannel(ref) {
		return true
	}
	row, ok := channelRow(v.DB, ref)
	return ok && row.String("State") == string(domain.ChannelDeleting) &&
		v.has(Asking, func(f Fact) bool { return f.Channel.Key == ref.Key })
}

// live tells whether the channel can be read and posted to.
func live(db mem.Snapshot, ref domain.ChannelRef) bool {
	row, ok := channelRow(db, ref)
	return ok && row.String("State") == string(domain.ChannelActive) &&
		hasRow(db, tableBlogs, ref, "gate!open!"+string(ref.Incarnation))
}

func channelRow(db mem.Snapshot, ref domain.ChannelRef) (driver.Properties, bool) {
	row, err := db.Get(tableChannels, string(ref.Key), "")
	return row.Properties, err == nil && row.Properties.String("Incarnation") == string(ref.Incarnation)
}

func blogRow(db mem.Snapshot, ref domain.ChannelRef, id domain.BlogID) (driver.Properties, bool) {
	row, err := db.Get(tableBlogs, string(ref.Key), "blog!"+string(id))
	return row.Properties, err == nil && row.Properties.String("Incarnation") == string(ref.Incarnation)
}

func hasRow(db mem.Snapshot, table string, ref domain.ChannelRef, row string) bool {
	_, err := db.Get(table, string(ref.Key), row)
	return err == nil
}

// ownEcho tells whether every channel row there ever was is of this actor: then
// "taken" was the echo of its own request.
func ownEcho(v View, actor int) bool {
	for _, incarnation := range v.Incarnations {
		if minter, _, _ := parseName(incarnation); minter != actor {
			return false
		}
	}
	return true
}

// ownKey tells whether every channel row there ever was is of an actor who creates with
// the same key: then "taken" was the echo of the user's own request.
func ownKey(v View, f Fact) bool {
	for _, incarnation := range v.Incarnations {
		minter, _, _ := parseName(incarnation)
		same := func(g Fact) bool { return g.Kind == Creating && g.User == f.User && g.Key == f.Key }
		if minter >= len(v.Told) || !slices.ContainsFunc(v.Told[minter], same) {
			return false
		}
	}
	return true
}
