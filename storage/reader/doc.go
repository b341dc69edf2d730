// Package reader implements what people read of several channels: their subscriptions, what is
// made of them, and the newest posts of all channels (latest.go), which can be searched (search.go).
//
// A subscription is two rows in two tables (subscription.go). Each request for a feed reads the posts
// of each channel first, and then the channel's row and the subscriber's row there. So no page shows
// what was deleted before the page was requested.
package reader

import (
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Subscriptions holds the operations on what users subscribe to. It is safe for concurrent use.
type Subscriptions struct {
	fence *fence.Fence

	blogs, subscriptions *driver.Table

	pause optimistic.Pause
}

// Feeds reads the posts of several channels. It is safe for concurrent use.
type Feeds struct {
	fence         *fence.Fence
	posts         blog.Steps
	channels      channel.Steps
	subscriptions *Subscriptions

	blogs, users *driver.Table
}

// Steps are what deletions of accounts and repairs do. No page has them.
type Steps struct {
	*Subscriptions
	*Feeds
}

// New returns the subscriptions and feeds of a backend whose tables are there. Owners of new channels
// join their channels, and a sweep ends the subscriptions.
func New(backend driver.Backend, gates *fence.Fence, channels channel.Steps, posts blog.Steps, pause optimistic.Pause) Steps {
	blogs := driver.NewTable(backend, schema.TableBlogs)
	s := &Subscriptions{
		fence:         gates,
		blogs:         blogs,
		subscriptions: driver.NewTable(backend, schema.TableSubscriptions),
		pause:         pause,
	}
	gates.OnCreation(s.joinOwner)
	gates.OnRemoval(s.deleteSubscriptions)
	return Steps{s, &Feeds{
		fence:         gates,
		posts:         posts,
		channels:      channels,
		subscriptions: s,
		blogs:         blogs,
		users:         driver.NewTable(backend, schema.TableUsers),
	}}
}
