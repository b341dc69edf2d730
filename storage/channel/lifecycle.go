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

	list, join    Join
	mayAct        MayAct
	beforeRemoval map[*schema.Kind]BeforeRemoval
}

// MayAct tells whether a user may still act. It is account.Accounts.Stands.
type MayAct func(ctx context.Context, user domain.UserName) error

// New returns the lifecycle of the channels on a backend whose tables are there. Who creates a
// channel, or acts in it, is asked for by mayAct, unless that is nil. A transaction of a sweep deletes sweepRows rows;
// with 0, as many as fit.
func New(backend driver.Backend, reads flight.Reads, mayAct MayAct, pause optimistic.Pause, sweepRows int) *Lifecycle {
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
		mayAct:        mayAct,
		beforeRemoval: map[*schema.Kind]BeforeRemoval{},
	}
}

// Asks tells whether a user may still act: domain.ErrAccountEnds if their account is being deleted.
// Package erasure says when it must be asked.
func (s *Lifecycle) Asks(ctx context.Context, user domain.UserName) error {
	if s.mayAct == nil {
		return nil
	}
	return s.mayAct(ctx, user)
}

// admit puts a channel on its owner's list, and then looks whether the owner may still act.
func (s *Lifecycle) admit(ctx context.Context, channel domain.Channel) error {
	if s.mayAct == nil {
		return nil
	}
	if err := s.list(ctx, channel); err != nil {
		return err
	}
	return s.mayAct(ctx, channel.Owner)
}

// A Join does something for the owner of a new channel.
type Join func(ctx context.Context, channel domain.Channel) error

// OnReservation says what puts the channel on its owner's list. It must be called before the first
// operation.
func (s *Lifecycle) OnReservation(list Join) { s.list = list }

// OnCreation says what subscribes the owner, or holds the gate otherwise. If the gate is gone, that
// is ErrGateGone, or what WhyGateGone says. It must be called before the first operation.
func (s *Lifecycle) OnCreation(join Join) { s.join = join }

// A BeforeRemoval does what must be done before a sweep removes a row. No gate fences it: it may
// run late, and for a row of a later incarnation. So what it does must name the incarnation of ref.
type BeforeRemoval func(ctx context.Context, ref domain.ChannelRef, row string) error

// OnRemoval says what a sweep does before it removes rows of a kind. It must be called before
// the first operation.
func (s *Lifecycle) OnRemoval(kind *schema.Kind, do BeforeRemoval) { s.beforeRemoval[kind] = do }
