package deletion

import (
	"context"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A Deletions requests, undoes and lists deletions. It is safe for concurrent use.
type Deletions struct {
	fence *fence.Fence

	channels, deletions, users *driver.Table
	queue                      *driver.Queue

	accounts account.Steps

	pruneOwned   PruneOwned
	completeBlog CompleteBlog

	pause optimistic.Pause
	// undo is how long the deletion of a channel can be undone.
	undo time.Duration
}

// Steps are the writes that make sure that an accepted deletion completes, and what workers and
// operators do with messages and records. No page has them.
type Steps struct{ *Deletions }

// New returns the deletions of a backend whose tables and queue are there. For the time of undo,
// the deletion of a channel can be undone.
func New(backend driver.Backend, gates *fence.Fence, accounts account.Steps, pause optimistic.Pause, undo time.Duration) Steps {
	return Steps{&Deletions{
		fence:     gates,
		accounts:  accounts,
		channels:  driver.NewTable(backend, schema.TableChannels),
		deletions: driver.NewTable(backend, schema.TableDeletions),
		users:     driver.NewTable(backend, schema.TableUsers),
		queue:     driver.NewQueue(backend, domain.QueueName),
		pause:     pause,
		undo:      undo,
	}}
}

// A PruneOwned function removes those of some rows of an owner's list that name no channel of theirs, and
// returns how many.
type PruneOwned func(ctx context.Context, owner domain.UserName, rows []driver.Entity) (removed int, err error)

// OnPrune registers what removes rows of owners' lists: removeOutlived of package channel. Call it
// before the first operation.
func (s Steps) OnPrune(do PruneOwned) { s.pruneOwned = do }

// A CompleteBlog function completes the deletion of a post that is on the index. If the post is there, it makes what is
// about to remove the post begin again, with the index row. So the index row can go once it has succeeded.
type CompleteBlog func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error

// OnBlogs registers what completes the deletions of posts: complete of package blog. Call it before the first operation.
func (s Steps) OnBlogs(do CompleteBlog) { s.completeBlog = do }

// Messages returns the queue of deletions, from which workers receive.
func (s Steps) Messages() *driver.Queue { return s.queue }
