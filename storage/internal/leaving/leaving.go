// Package leaving keeps in memory whose accounts are being deleted, so that readers see nothing of them.
// The rows stay until the pivot, and no step of the protocol depends on this package: what an undo brings
// back was never touched.
package leaving

import (
	"maps"
	"sync/atomic"

	"microblogging/domain"
)

// Accounts are the accounts that are being deleted, as far as this process knows. The zero Accounts are
// none. They are safe for concurrent use.
type Accounts struct{ known atomic.Pointer[known] }

type known struct {
	users map[domain.UserName]domain.Erasure
	// version is another after each change. It never comes back, also if the users do: a page that was
	// read during a change is kept for the version from before it.
	version string
}

// Set replaces what this process knows. Calls must not overlap.
func (a *Accounts) Set(users map[domain.UserName]domain.Erasure) {
	if !maps.Equal(a.now().users, users) {
		a.known.Store(&known{users, string(domain.NewRevision())})
	}
}

func (a *Accounts) now() known {
	if now := a.known.Load(); now != nil {
		return *now
	}
	return known{}
}

// Shown is a post as readers see it. It reports false if they do not: its author's account is being
// deleted. A post that the author leaves is shown without the name.
func (a *Accounts) Shown(b domain.Blog) (domain.Blog, bool) {
	erasure, leaves := a.now().users[b.UserID]
	if leaves {
		b.UserID = domain.DeletedUser
	}
	return b, !leaves || erasure.KeepPosts
}

// Readable reports whether readers see a channel.
func (a *Accounts) Readable(c domain.Channel) bool {
	_, leaves := a.now().users[c.Owner]
	return c.State == domain.ChannelActive && !leaves
}

// Version is a part of the version of what pages show.
func (a *Accounts) Version() string { return a.now().version }
