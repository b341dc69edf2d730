package fence

import (
	"cmp"
	"context"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A Fence has the operations that create, fence off and delete channels. It is safe for
// concurrent use.
type Fence struct {
	concurrent.Reads
	// Leaving decides what readers see of accounts that are being deleted.
	Leaving *Leaving

	channels, blogs, users *driver.Table

	pause optimistic.Pause
	// together is how many transactions the backend commits together, and sweepRows how many
	// rows one of a sweep deletes.
	together, sweepRows int

	list, join    ForOwner
	requireActive RequireActive
	beforeRemoval []BeforeRemoval
}

// A RequireActive function returns nil if an account is active, as account.Accounts.RequireActive does.
type RequireActive func(ctx context.Context, user domain.UserName) error

// New returns the lifecycle of the channels on a backend whose tables exist. Users who create a
// channel, or act in one, must have an active account by requireActive. A transaction of a sweep deletes
// sweepRows rows; with 0, as many as fit.
func New(backend driver.Backend, reads concurrent.Reads, leaving *Leaving, requireActive RequireActive, pause optimistic.Pause, sweepRows int) *Fence {
	return &Fence{
		Reads:         reads,
		Leaving:       leaving,
		channels:      driver.NewTable(backend, schema.TableChannels),
		blogs:         driver.NewTable(backend, schema.TableBlogs),
		users:         driver.NewTable(backend, schema.TableUsers),
		pause:         pause,
		together:      backend.Capabilities().CommitsTogether,
		sweepRows:     cmp.Or(sweepRows, mostSweepRows),
		requireActive: requireActive,
	}
}

// RequireActive returns nil if an account is active, and domain.ErrAccountEnds if it is being deleted.
// Package erasure says when it must be called.
func (s *Fence) RequireActive(ctx context.Context, user domain.UserName) error {
	return s.requireActive(ctx, user)
}

// AccountSince returns when the latest account of a name was made, even if it is being deleted or is
// gone. The time distinguishes the accounts of one name. Without an account, it is the zero time.
func (s *Fence) AccountSince(ctx context.Context, user domain.UserName) (time.Time, error) {
	//lab: Read when the account of this name was made.
	row, err := s.users.Find(ctx, schema.UserPartition(user), schema.SingleRow)
	return row.Properties.Time(schema.PropCreatedOn), err
}

// HasAccount reports whether an account is there and is not being deleted. Another account of its name is not
// that account.
func (s *Fence) HasAccount(ctx context.Context, account domain.User) (bool, error) {
	//lab: Read whether this account is there.
	row, err := s.users.Find(ctx, schema.UserPartition(account.Name), schema.SingleRow)
	there := row.Found() && row.Properties.Time(schema.PropCreatedOn).Equal(account.CreatedOn)
	return there && domain.AccountState(row.Properties.String(schema.PropState)) == domain.AccountActive, err
}

// A ForOwner does something for the owner of a new channel.
type ForOwner func(ctx context.Context, channel domain.Channel) error

// OnReservation registers what puts a new channel on its owner's list: ListChannel of package channel.
// Call it before the first operation.
func (s *Fence) OnReservation(list ForOwner) { s.list = list }

// OnCreation registers what subscribes the owner, or merges the gate in another way: joinOwner of package
// reader. If the gate is gone, it must return ErrGateGone. Call it before the first operation.
func (s *Fence) OnCreation(join ForOwner) { s.join = join }

// A BeforeRemoval runs before a sweep removes rows. Of their properties it gets the incarnation and the
// user. No gate fences it: it may run late, and for rows of a later incarnation. So its writes must depend
// on the incarnation of ref. Registered are the removal of the subscribers' own rows (deleteSubscriptions
// of package reader), and that of posts, replies and votes from the lists of their users (unlistSwept of package
// blog): once the rows are gone, no sweep could find those: they would wait for a reader or for Prune.
type BeforeRemoval func(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) error

// OnRemoval adds a function that runs before a sweep removes rows. Call it before the first
// operation.
func (s *Fence) OnRemoval(do BeforeRemoval) { s.beforeRemoval = append(s.beforeRemoval, do) }
