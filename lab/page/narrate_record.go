package page

import (
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// subscription is about the rows of users, which lie in another table than the channel.
func (d deed) subscription() string {
	switch {
	case d.Call.Method == lab.Range && d.actor == "feed":
		return "these rows say what the feed has to show, and which of them look half done"
	case d.Call.Method == lab.Range:
		return "a user has room for so many subscriptions and no more, so they are counted first"
	case d.Call.Method == lab.Get && d.is(domain.ErrNotFound):
		return "as far as this user's own row goes, there is no subscription"
	case d.Call.Method == lab.Get:
		return "the row says how far a subscription has come, so whoever finds it half done knows how to go on"
	case d.does(driver.ActionDelete, ""):
		return d.dropSubscription()
	case d.refused():
		return "the row has changed since it was read, so the store refuses"
	}
	switch d.sets("State") {
	case "joining":
		return "the user's own row comes first, so there is never a subscriber who cannot know it"
	case "leaving":
		return "it is written down that the user leaves, so somebody else can finish it"
	}
	return "the user's own row has caught up with the row that decides"
}

func (d deed) dropSubscription() string {
	switch {
	case d.is(domain.ErrNotFound):
		return "it has gone before, and to remove it twice does no harm"
	case d.refused():
		return "the row has changed since it was read: somebody is still at work on it, so it stays"
	case isWorker(d.actor):
		return "a subscriber's own row lies in another table, so it goes before the row that leads to it"
	case d.actor == "feed":
		return "the feed removes what it takes for the rest of a subscription that died half way"
	}
	return "the last trace of the subscription goes, after the row that decides"
}

// deletion is about the report on a deletion.
func (d deed) deletion() string {
	switch {
	case d.Call.Method == lab.Get:
		return "the report is read first, because it may be changed only in this version"
	case d.does(driver.ActionInsert, "") && d.refused():
		return "a report is there already, so this one goes on where that one stands"
	case d.is(domain.ErrNotFound):
		return "there is no such report"
	case d.refused():
		return "another worker has written the report meanwhile, so the store refuses this one"
	}
	switch d.sets("State") {
	case string(domain.DeletionQueued):
		return "from now on there is a report, which outlives the channel, for whoever asked"
	case string(domain.DeletionPoisoned):
		return "it is on record that this work was given up, so an operator can find it"
	case string(domain.DeletionDone):
		return "whoever asked can see that it is done, and the channel was gone before"
	}
	return "whoever asked can see that somebody is at work, but nothing in the deletion depends on it"
}

// user is about the rows of a user.
func (d deed) user() string {
	switch {
	case d.does(driver.ActionInsert, "asked!") && d.refused(), d.does(driver.ActionInsert, "once!") && d.refused():
		return "it is noted already, so the same request was here before"
	case d.does(driver.ActionInsert, "asked!"):
		return "the deletion is on its user's own list before anything happens, whoever dies later"
	case d.does(driver.ActionInsert, "once!"):
		return "the key is noted before anything is made with it, so the same request can be recognised"
	case d.does(driver.ActionInsert, "made!"):
		return "what the key has made is on record, even if it is deleted later"
	case strings.HasPrefix(d.Call.Row, "once!"):
		return "the row tells whether this key was used before, and for what"
	case strings.HasPrefix(d.Call.Row, "made!") && d.refused():
		return "no record says what the key has made, although it may have made something"
	case strings.HasPrefix(d.Call.Row, "made!"):
		return "the record says what the key has made, so nothing is made again"
	case d.Call.Method == lab.Get:
		return d.readAccount()
	case d.refused():
		return "the account has changed since it was read, so the store refuses"
	}
	return d.changeAccount()
}

func (d deed) readAccount() string {
	switch {
	case d.has(lab.Following):
		return "the account says whether its sessions have been ended since the link was made"
	case d.has(lab.Ending):
		return "to end all sessions is to raise one number, in the version that is read here"
	}
	return "what comes next depends on the account as it is at this instant"
}

func (d deed) changeAccount() string {
	for _, c := range d.Changes() {
		was, is := c.Before.Properties, c.After.Properties
		switch {
		case was.Int64("Epoch") != is.Int64("Epoch"):
			return "all sessions and links up to here have ended at once, because each carries the former number"
		case was.String("DigestSecret") != "" && is.String("DigestSecret") == "":
			return "the address that was given out works no more"
		case was.String("DigestSecret") != is.String("DigestSecret"):
			return "a new address works from now on, and the former one does not"
		}
	}
	return "the account is as it was before, as far as anybody can see"
}

// session is about sessions and sign-in links.
func (d deed) session() string {
	link := d.sets("UsedBy") != "" || !d.has(lab.Followed)
	switch {
	case d.Call.Method == lab.Get && d.refused():
		return "no row is there to say who was faster, so this may as well be an echo"
	case d.Call.Method == lab.Get && d.Applied.Entity.Properties.Bool("Link"):
		return "the link has not been used, as far as this look goes"
	case d.Call.Method == lab.Get:
		return "the link has been used, and the row should tell by whom"
	case d.does(driver.ActionInsert, "") && d.refused():
		return "its row is in the way, so nothing begins again"
	case d.does(driver.ActionInsert, "") && d.inserts("Link"):
		return "a link is made that works once"
	case d.does(driver.ActionInsert, ""):
		return "whoever has this session's token is signed in"
	case d.does(driver.ActionDelete, "") && d.refused():
		return "there is nothing left to remove, and nothing that says who removed it"
	case d.does(driver.ActionDelete, ""):
		return "the row goes without a trace, so nothing will refuse a late copy of it"
	case d.refused():
		return "the row has changed since it was read, so the store refuses: somebody was faster, or it was oneself"
	case link:
		return "the link is used up from here on, if nobody else could do the same"
	}
	return "the session has ended, and its row stays to say so"
}

// inserts reports whether the call inserts a row with this mark.
func (d deed) inserts(mark string) bool {
	for _, op := range d.Call.Operations {
		if op.Properties.Bool(mark) {
			return true
		}
	}
	return false
}
