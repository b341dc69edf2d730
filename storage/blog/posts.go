package blog

import (
	"cmp"

	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Posts holds the operations on posts and their votes. It is safe for concurrent use.
type Posts struct {
	fence     *fence.Fence
	deletions deletion.Steps

	blogs, users, activity *driver.Table
	// activePartitions is over how many partitions the index of active channels is spread.
	activePartitions int
	noted            noted

	pause optimistic.Pause
	votes flight.Locks[votedPost]
}

// New returns the posts of a backend whose tables and queues are there. A sweep takes posts and votes
// off the lists of their users. The index of active
// channels is spread over so many partitions; with 0 over as many as there can be, and a negative
// number leaves it out.
func New(backend driver.Backend, channels *fence.Fence, deletions deletion.Steps, pause optimistic.Pause, activePartitions int) *Posts {
	s := &Posts{
		fence:            channels,
		deletions:        deletions,
		blogs:            driver.NewTable(backend, schema.TableBlogs),
		users:            driver.NewTable(backend, schema.TableUsers),
		activity:         driver.NewTable(backend, schema.TableActivity),
		activePartitions: cmp.Or(activePartitions, schema.ActivePartitions),
		pause:            pause,
	}
	channels.OnRemoval(s.unlistSwept)
	return s
}
