package fence

import (
	"maps"

	"microblogging/domain"
)

// Leaving are the users whose accounts are being deleted, as far as this process knows. Readers see none of their
// channels, and none of their posts, or those that they leave without their name. The rows stay until the pivot, and
// no step of the protocol depends on this: what an undo brings back was never touched.
type Leaving struct {
	users map[domain.UserName]domain.Erasure
	// version is another after each change. It never comes back, also if the users do: a page that was read
	// during a change is kept for the version from before it.
	version string
}

// SetLeaving replaces whom this process knows to be leaving. Calls must not overlap.
func (s *Fence) SetLeaving(users map[domain.UserName]domain.Erasure) {
	var known map[domain.UserName]domain.Erasure
	if leaving := s.leaving.Load(); leaving != nil {
		known = leaving.users
	}
	if !maps.Equal(known, users) {
		s.leaving.Store(&Leaving{users, string(domain.NewRevision())})
	}
}

// Leaves reports whether a user's account is being deleted, and how.
func (s *Fence) Leaves(user domain.UserName) (domain.Erasure, bool) {
	leaving := s.leaving.Load()
	if leaving == nil {
		return domain.Erasure{}, false
	}
	erasure, leaves := leaving.users[user]
	return erasure, leaves
}

// Shown is a post as readers see it. It reports false if they do not.
func (s *Fence) Shown(b domain.Blog) (domain.Blog, bool) {
	erasure, leaves := s.Leaves(b.UserID)
	if leaves {
		b.UserID = domain.DeletedUser
	}
	return b, !leaves || erasure.KeepPosts
}

// Readable reports whether readers see a channel.
func (s *Fence) Readable(c domain.Channel) bool {
	_, leaves := s.Leaves(c.Owner)
	return c.State == domain.ChannelActive && !leaves
}

// LeavingVersion is a part of the version of what pages show.
func (s *Fence) LeavingVersion() string {
	if leaving := s.leaving.Load(); leaving != nil {
		return leaving.version
	}
	return ""
}
