package fence

import (
	"maps"
	"sync/atomic"

	"microblogging/domain"
)

// Leaving are the accounts that are being deleted, as far as this process knows, so that readers see
// nothing of them. Their rows stay until the pivot, and no step of the protocol depends on Leaving: what
// an undo brings back was never touched. The zero Leaving are none. They are safe for concurrent use.
type Leaving struct {
	known atomic.Pointer[leavingAccounts]
}

type leavingAccounts struct {
	users map[domain.UserName]domain.Erasure
	// version is another after each change. It never comes back, also if the users do: a page that was
	// read during a change is kept for the version from before it.
	version string
}

// Set replaces what this process knows. Calls must not overlap.
func (l *Leaving) Set(users map[domain.UserName]domain.Erasure) {
	if !maps.Equal(l.now().users, users) {
		l.known.Store(&leavingAccounts{users, string(domain.NewRevision())})
	}
}

func (l *Leaving) now() leavingAccounts {
	if now := l.known.Load(); now != nil {
		return *now
	}
	return leavingAccounts{}
}

// Has reports whether a user's account is being deleted.
func (l *Leaving) Has(user domain.UserName) bool {
	_, leaves := l.now().users[user]
	return leaves
}

// Shown is a post as readers see it. It reports false if they do not: its author's account is being
// deleted. A post that the author leaves is shown without the name.
func (l *Leaving) Shown(b domain.Blog) (domain.Blog, bool) {
	author, is := l.Author(b.UserID)
	b.UserID = author
	return b, is
}

// Author is the author of a post or a reply as readers see it, and reports whether they see what the author wrote.
func (l *Leaving) Author(user domain.UserName) (shown domain.UserName, is bool) {
	erasure, leaves := l.now().users[user]
	if leaves {
		user = domain.DeletedUser
	}
	return user, !leaves || erasure.KeepPosts
}

// Readable reports whether readers see a channel.
func (l *Leaving) Readable(c domain.Channel) bool {
	return c.State == domain.ChannelActive && !l.Has(c.Owner)
}

// Version is a part of the version of what pages show.
func (l *Leaving) Version() string { return l.now().version }
