package channel

import (
	"context"
	"errors"
	"time"

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
	stands        Stands
	beforeRemoval []BeforeRemoval
}

// Stands tells whether an account stands. It is account.Accounts.Stands.
type Stands func(ctx context.Context, user domain.UserName) error

// New returns the lifecycle of the channels on a backend whose tables are there. Who creates a
// channel, or acts in it, has to stand, unless that is nil. A transaction of a sweep deletes
// sweepRows rows; with 0, as many as fit.
func New(backend driver.Backend, reads flight.Reads, stands Stands, pause optimistic.Pause, sweepRows int) *Lifecycle {
	if sweepRows == 0 {
		sweepRows = mostSweepRows
	}
	return &Lifecycle{
		Reads:     reads,
		channels:  driver.NewTable(backend, schema.TableChannels),
		blogs:     driver.NewTable(backend, schema.TableBlogs),
		users:     driver.NewTable(backend, schema.TableUsers),
		pause:     pause,
		together:  backend.Traits().CommitsTogether,
		sweepRows: sweepRows,
		stands:    stands,
	}
}

// Stands tells whether an account stands: domain.ErrAccountEnds if it is being deleted. Package erasure
// says when it must be asked.
func (s *Lifecycle) Stands(ctx context.Context, user domain.UserName) error {
	if s.stands == nil {
		return nil
	}
	return s.stands(ctx, user)
}

// AccountSince returns when the account was made that has a name now, also if it is being deleted or is
// gone. It tells the accounts of one name apart. Without an account, it is the zero time.
func (s *Lifecycle) AccountSince(ctx context.Context, user domain.UserName) (time.Time, error) {
	//lab: Read when the account was made that has the name.
	row, err := s.users.Get(ctx, schema.UserPartition(user), schema.SingleRow)
	if errors.Is(err, domain.ErrNotFound) {
		err = nil
	}
	return row.Properties.Time(schema.PropCreatedOn), err
}

// announce puts a channel on its owner's list, and then looks whether the owner's account stands.
func (s *Lifecycle) announce(ctx context.Context, channel domain.Channel) error {
	if s.stands == nil {
		return nil
	}
	if err := s.list(ctx, channel); err != nil {
		return err
	}
	return s.stands(ctx, channel.Owner)
}

// A Join does something for the owner of a new channel.
type Join func(ctx context.Context, channel domain.Channel) error

// OnReservation says what puts the channel on its owner's list. It must be called before the first
// operation.
func (s *Lifecycle) OnReservation(list Join) { s.list = list }

// OnCreation says what subscribes the owner, or holds the gate otherwise. If the gate is gone, that
// is ErrGateGone, or what WhyGateGone says. It must be called before the first operation.
func (s *Lifecycle) OnCreation(join Join) { s.join = join }

// A BeforeRemoval does what must be done before a sweep removes rows. They have the sweptProperties.
// No gate fences it: it may run late, and for rows of a later incarnation. So what it does must depend
// on the incarnation of ref.
type BeforeRemoval func(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) error

// OnRemoval adds what a sweep does before it removes rows. It must be called before the first
// operation.
func (s *Lifecycle) OnRemoval(do BeforeRemoval) { s.beforeRemoval = append(s.beforeRemoval, do) }
