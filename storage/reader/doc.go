// Package reader is what people read of several channels: their subscriptions, what is made of
// them, a feed and a digest, and the newest posts of all channels (latest.go).
//
// A subscription is two rows in two tables (subscription.go). A feed is made when it is read: from
// the posts of each channel, and then from the channel's row and the subscriber's row there, so
// that no page shows what was deleted before it was asked for.
package reader

import (
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/fresh"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Readers holds the operations on what users subscribe to. It is safe for concurrent use.
type Readers struct {
	fence    *fence.Fence
	posts    blog.Steps
	versions *fresh.Versions

	blogs, subscriptions, users *driver.Table

	pause optimistic.Pause
}

// New returns the readers of a backend whose tables are there. Owners of new channels join
// their channels, and a sweep ends the subscriptions.
func New(backend driver.Backend, channels *fence.Fence, posts blog.Steps, versions *fresh.Versions, pause optimistic.Pause) *Readers {
	s := &Readers{
		fence:         channels,
		posts:         posts,
		versions:      versions,
		blogs:         driver.NewTable(backend, schema.TableBlogs),
		subscriptions: driver.NewTable(backend, schema.TableSubscriptions),
		users:         driver.NewTable(backend, schema.TableUsers),
		pause:         pause,
	}
	channels.OnCreation(s.joinOwner)
	channels.OnRemoval(s.deleteSubscriptions)
	return s
}
