package storage

import (
	"context"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/check"
	"microblogging/storage/concurrent"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/erasure"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/reader"
)

// A Store has what pages do with the tables and queues, for all backends: the operations of users on
// each subject, and no step of the protocol. It is safe for concurrent use. It keeps nothing that
// another process needs, so that any number of processes may use the same backend concurrently.
//
// Unless an operation says otherwise, it returns domain.ErrUnavailable if the backend does not answer,
// or if too many others write to the same row. A write may then have taken effect or not.
type Store struct {
	Channels      *channel.Channels
	Posts         *blog.Posts
	Subscriptions *reader.Subscriptions
	// Feeds are the posts of several channels.
	Feeds     *reader.Feeds
	Accounts  *erasure.Accounts
	Deletions *deletion.Deletions
	Health    *Health

	reads concurrent.Reads
}

// Concurrently makes calls that do not depend on each other, as concurrent.Reads.Concurrently does.
func (s *Store) Concurrently(ctx context.Context, calls ...func(context.Context) error) error {
	return s.reads.Concurrently(ctx, calls...)
}

// Steps are what a worker does with a store.
type Steps interface {
	// Messages is the queue of deletions.
	Messages() *driver.Queue
	RecordReceived(ctx context.Context, m domain.Message) (over bool, err error)
	UpdateRecord(ctx context.Context, of domain.Message, change func(*domain.Deletion) bool) error
	Poison(ctx context.Context, m driver.Message) error

	// The steps that delete a channel, in their order.

	PassPivot(ctx context.Context, m domain.Message) (present bool, err error)
	ShutGate(ctx context.Context, ref domain.ChannelRef) (shut bool, err error)
	Sweep(ctx context.Context, ref domain.ChannelRef, continuation string, report func(rows int)) (fence.SweepPage, error)
	RemoveGate(ctx context.Context, ref domain.ChannelRef) error
	ReleaseName(ctx context.Context, ref domain.ChannelRef) error

	// The steps that delete an account, in their order.

	BeginErasure(ctx context.Context, m domain.Message) (present bool, err error)
	EraseChannels(ctx context.Context, m domain.Message, removed Removed) error
	EraseFence(ctx context.Context, m domain.Message, removed Removed) error
	ErasePosts(ctx context.Context, m domain.Message, removed Removed) error
	EraseVotes(ctx context.Context, m domain.Message, removed Removed) error
	EraseSubscriptions(ctx context.Context, m domain.Message, removed Removed) error
	EraseAccount(ctx context.Context, m domain.Message, removed Removed) error

	// FinishBlog deletes a post.
	FinishBlog(ctx context.Context, m domain.Message, report func(rows int)) error

	Reconcile(ctx context.Context, patience time.Duration, handedOut time.Time) (Reconciled, error)
	Expire(ctx context.Context) (removed int, err error)
	Prune(ctx context.Context, keep time.Duration) (removed int, err error)
}

// An Operator has every step. It is for the commands of an operator, for the lab and for tests.
type Operator struct {
	check.Steps
	accountSteps
	erasureSteps
	health *Health
}

type accountSteps = account.Steps
type erasureSteps = erasure.Steps

// Parts are the operations on one backend. A role gets its part alone, so that no page can take a step
// of the protocol.
type Parts struct {
	*Store         // for the web role
	Steps    Steps // for the worker role
	Operator *Operator
}

// Options are the settings of a Store. The zero Options are valid: then nothing can be undone.
// Flight, LastFirst, SweepRows and ActivePartitions are for the model checker, so that few rows show what
// many would.
type Options struct {
	// Around is put around each call of the backend, within the call log.
	Around []driver.Around
	// Pause waits between two attempts at a contended row. Nil sleeps.
	Pause optimistic.Pause
	// Flight is how many calls of one operation may run concurrently. Zero is what suits
	// the backend's capabilities; with 1, calls are made one after another.
	Flight int
	// LastFirst makes reads that might be concurrent in the opposite order, if they are made
	// one after another. Concurrent reads may take effect in any.
	LastFirst bool
	// SweepRows is how many rows a transaction of a sweep deletes. Zero is as many as fit.
	SweepRows int
	// ActivePartitions is over how many partitions the index of active channels is spread. Zero is
	// 16. A negative number leaves the index out, as if each process had just written its rows.
	ActivePartitions int
	// Undo is how long the deletion of a channel can be undone, at most domain.MaxUndo. Zero is not
	// at all.
	Undo time.Duration
	// UndoAccount is the same for the deletion of an account, at most domain.MaxUndoAccount.
	UndoAccount time.Duration
	// HashPassword makes the hash of a password that is stored. Nil is domain.HashPassword,
	// which is slow on purpose; a test whose subject is no password may have a cheap one.
	HashPassword func(password string) string
}

// New returns the parts of a store on a backend. In each process, Prepare or Ready must have succeeded
// on that backend before an operation is called that writes.
func New(backend driver.Backend, o Options) *Parts {
	backend = driver.Wrap(backend, append([]driver.Around{driver.Enter}, o.Around...)...)
	health := &Health{backend} // a check reads rows with unknown words, and reports them
	backend = driver.Wrap(backend, refuseUnknownWords())
	reads := concurrent.Reads{InTurn: o.Flight == 1 || !backend.Capabilities().ConcurrentReads, LastFirst: o.LastFirst, Limit: o.Flight}
	accounts := account.New(backend, reads, o.Pause, o.HashPassword)
	leaves := new(fence.Leaving)
	gates := fence.New(backend, reads, leaves, accounts.RequireActive, o.Pause, o.SweepRows)
	deletions := deletion.New(backend, gates, accounts, o.Pause, o.Undo)
	posts := blog.New(backend, gates, deletions, o.Pause, o.ActivePartitions)
	channels := channel.New(backend, gates, deletions, o.Pause)
	readers := reader.New(backend, gates, channels, posts, o.Pause)
	erasures := erasure.New(backend, reads, accounts, deletions, channels, posts, readers, leaves, o.Pause, o.UndoAccount)
	operator := &Operator{check.Steps{Fence: gates, Deletions: deletions, Channels: channels, Posts: posts, Readers: readers}, accounts, erasures, health}
	return &Parts{
		Store: &Store{
			Channels:      channels.Channels,
			Posts:         posts.Posts,
			Subscriptions: readers.Subscriptions,
			Feeds:         readers.Feeds,
			Accounts:      erasures.Accounts,
			Deletions:     deletions.Deletions,
			Health:        health,
			reads:         reads,
		},
		Steps:    operator,
		Operator: operator,
	}
}

// NewChecker returns a checker of this store. See the fields of check.Checker.
func (o *Operator) NewChecker(patience time.Duration, repair bool, report func(domain.Violation)) *check.Checker {
	return check.New(o.health.backend, o.Steps, patience, repair, report)
}
