package lab

import (
	"slices"

	"microblogging/lab/mem"
)

// ofAccount holds the state against what a client was told of a session, a sign-in link or
// a digest address.
func ofAccount(v View, actor, at int, f Fact, breach func(law, format string, args ...any)) {
	switch f.Kind {
	case SignedOut:
		if signsIn(v.DB, f.Token) {
			breach("I10", "a session signs somebody in whose end was acknowledged")
		}
	case SessionsEnded:
		if v.has(Followed, func(g Fact) bool { return ofSetup(v, g.Token) && signsIn(v.DB, g.Session) }) {
			breach("I10", "a sign-in link signs somebody in though it was made before the end of all sessions")
		}
	case Followed:
		follows := 0
		v.each(func(_, _ int, g Fact) {
			if g.Kind == Followed && g.Token == f.Token {
				follows++
			}
		})
		if follows > 1 {
			breach("I10", "one sign-in link gave two sessions")
		}
	case LinkUsed:
		ending := v.has(Ending, func(Fact) bool { return true })
		if !ending && !usedByOther(v, actor, at, f.Token) {
			breach("A4", "told that a sign-in link is used, and nobody else ever followed it")
		}
	case AddressRevoked:
		row, err := v.DB.Get(tableUsers, string(f.User), "")
		later := slices.ContainsFunc(v.Told[actor][at:], func(g Fact) bool { return g.Kind == Addressing })
		if err == nil && row.Properties.String("DigestSecret") != "" && !later {
			breach("I10", "a digest address works whose end was acknowledged")
		}
	}
}

// signsIn tells whether a session's token signs its user in.
func signsIn(db mem.Snapshot, token string) bool {
	row, err := db.Get(tableSessions, sessionHash(token), "")
	if err != nil || row.Properties.Bool("Link") || row.Properties.Bool("Ended") {
		return false
	}
	user, err := db.Get(tableUsers, row.Properties.String("User"), "")
	return err == nil && user.Properties.Int64("Epoch") == row.Properties.Int64("Epoch")
}

// ofSetup tells whether the set-up made a link: before anybody ended any session.
func ofSetup(v View, link string) bool {
	return slices.ContainsFunc(v.Told[0], func(f Fact) bool { return f.Kind == LinkMade && f.Token == link })
}

// usedByOther tells whether another actor set out to follow the link, or the same actor
// did before the fact at.
func usedByOther(v View, actor, at int, link string) bool {
	attempts, others := 0, false
	v.each(func(a, i int, g Fact) {
		if g.Kind != Following || g.Token != link {
			return
		}
		if a != actor {
			others = true
		} else if i < at {
			attempts++ // the last of them is the one that was told
		}
	})
	return others || attempts > 1
}
