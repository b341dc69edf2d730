package blog

import (
	"microblogging/storage/channel"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Posts holds the operations on posts and their votes. It is safe for concurrent use.
type Posts struct {
	*channel.Lifecycle
	deletions *deletion.Deletions

	blogs, users *driver.Table

	pause optimistic.Pause
	votes flight.Locks[votedPost]
}

// New returns the posts of a backend whose tables and queues are there.
func New(backend driver.Backend, channels *channel.Lifecycle, deletions *deletion.Deletions, pause optimistic.Pause) *Posts {
	return &Posts{
		Lifecycle: channels,
		deletions: deletions,
		blogs:     driver.NewTable(backend, schema.TableBlogs),
		users:     driver.NewTable(backend, schema.TableUsers),
		pause:     pause,
	}
}
