package blog

import (
	"cmp"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Posts holds the operations on posts and their votes. It is safe for concurrent use.
type Posts struct {
	fence     *fence.Fence
	deletions deletion.Steps
	lists     *Lists
	activity  *Activity

	blogs *driver.Table

	pause optimistic.Pause
	votes concurrent.Locks[domain.BlogID]
}

// Steps are what sweeps, deletions of accounts, workers, readers and repairs do. No page has them.
type Steps struct {
	*Posts
	*Lists
	*Activity
}

// New returns the posts of a backend whose tables and queues are there. A sweep takes posts, replies and votes
// off the lists of their users. The index of active
// channels is spread over so many partitions; with 0 over as many as there can be, and a negative
// number leaves it out.
func New(backend driver.Backend, gates *fence.Fence, deletions deletion.Steps, pause optimistic.Pause, activePartitions int) Steps {
	lists := &Lists{reads: gates.Reads, users: driver.NewTable(backend, schema.TableUsers)}
	activity := &Activity{
		reads:      gates.Reads,
		table:      driver.NewTable(backend, schema.TableActivity),
		partitions: cmp.Or(activePartitions, schema.ActivePartitions),
	}
	gates.OnRemoval(lists.unlistSwept)
	posts := &Posts{
		fence:     gates,
		deletions: deletions,
		lists:     lists,
		activity:  activity,
		blogs:     driver.NewTable(backend, schema.TableBlogs),
		pause:     pause,
	}
	deletions.OnBlogs(posts.complete)
	return Steps{posts, lists, activity}
}
