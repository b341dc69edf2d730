package channel

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A Lifecycle holds the operations by which channels come, are fenced and go. It is safe for
// concurrent use.
type Lifecycle struct {
	flight.Reads

	channels, blogs, users *driver.Table

	pause optimistic.Pause
	// together is how many transactions the backend commits together, and sweepRows how many
	// rows one of a sweep deletes.
	together, sweepRows int

	join          Join
	beforeRemoval map[*schema.Kind]BeforeRemoval
}

// New returns the lifecycle of the channels on a backend whose tables are there. A transaction
// of a sweep deletes sweepRows rows; with 0, as many as fit.
func New(backend driver.Backend, reads flight.Reads, pause optimistic.Pause, sweepRows int) *Lifecycle {
	if sweepRows == 0 {
		sweepRows = mostSweepRows
	}
	return &Lifecycle{
		Reads:         reads,
		channels:      driver.NewTable(backend, schema.TableChannels),
		blogs:         driver.NewTable(backend, schema.TableBlogs),
		users:         driver.NewTable(backend, schema.TableUsers),
		pause:         pause,
		together:      backend.Traits().CommitsTogether,
		sweepRows:     sweepRows,
		beforeRemoval: map[*schema.Kind]BeforeRemoval{},
	}
}

// A Join subscribes the owner of a new channel, or holds its gate otherwise. If the gate is
// gone, it is ErrGateGone, or what WhyGateGone says.
type Join func(ctx context.Context, channel domain.Channel) error

// OnCreation says what joins the owner. It must be called before the first operation.
func (s *Lifecycle) OnCreation(join Join) { s.join = join }

// A BeforeRemoval does what must be done before a sweep removes a row. No gate fences it: it may
// run late, and for a row of a later incarnation. So what it does must name the incarnation of ref.
type BeforeRemoval func(ctx context.Context, ref domain.ChannelRef, row string) error

// OnRemoval says what a sweep does before it removes rows of a kind. It must be called before
// the first operation.
func (s *Lifecycle) OnRemoval(kind *schema.Kind, do BeforeRemoval) { s.beforeRemoval[kind] = do }
