package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The tables. Their names are also those of the design.
const (
	tableChannels      = "Channels"
	tableBlogs         = "Blogs"
	tableDeletions     = "Deletions"
	tableUsers         = "Users"
	tableSessions      = "Sessions"
	tableThrottle      = "Throttle"
	tableSubscriptions = "Subscriptions"
)

// A Store is everything that MicroBlogging does to its tables and queues. Each
// operation is written here once, for all backends. It is safe for concurrent
// use, holds no state of its own that matters, and any number of processes may
// use the same backend at once.
type Store struct {
	tables driver.Tables
	queues driver.Queues

	channels      *driver.Table
	blogs         *driver.Table
	deletions     *driver.Table
	users         *driver.Table
	sessions      *driver.Table
	throttle      *driver.Table
	subscriptions *driver.Table
	queue         *driver.Queue
	poison        *driver.Queue

	hashing hashingSlots
	pause   Pause
}

// A Pause waits between two attempts at a contended row, or until ctx ends,
// which is an error.
type Pause func(ctx context.Context, d time.Duration) error

// New is a store on a backend. Prepare must have succeeded once on the backend
// before anything else does.
func New(tables driver.Tables, queues driver.Queues) *Store {
	return NewWithPause(tables, queues, sleep)
}

// NewWithPause is a store that waits by pause before it tries again on a
// contended row, for who owns the time in the clock's place.
func NewWithPause(tables driver.Tables, queues driver.Queues, pause Pause) *Store {
	return &Store{
		tables:        tables,
		queues:        queues,
		channels:      driver.NewTable(tables, tableChannels),
		blogs:         driver.NewTable(tables, tableBlogs),
		deletions:     driver.NewTable(tables, tableDeletions),
		users:         driver.NewTable(tables, tableUsers),
		sessions:      driver.NewTable(tables, tableSessions),
		throttle:      driver.NewTable(tables, tableThrottle),
		subscriptions: driver.NewTable(tables, tableSubscriptions),
		queue:         driver.NewQueue(queues, domain.QueueName),
		poison:        driver.NewQueue(queues, domain.PoisonQueueName),
		hashing:       newHashingSlots(),
		pause:         pause,
	}
}

// Prepare creates the tables and queues that are missing. It may be repeated.
func (s *Store) Prepare(ctx context.Context) error {
	for _, t := range []*driver.Table{s.channels, s.blogs, s.deletions, s.users, s.sessions, s.throttle, s.subscriptions} {
		if err := s.tables.CreateTable(ctx, t.Name()); err != nil {
			return fmt.Errorf("creating table %s: %w", t.Name(), err)
		}
	}
	for _, q := range []*driver.Queue{s.queue, s.poison} {
		if err := s.queues.CreateQueue(ctx, q.Name()); err != nil {
			return fmt.Errorf("creating queue %s: %w", q.Name(), err)
		}
	}
	return nil
}

// Ready tells whether the store answers: one read of a table and one look-up of
// the queue.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := s.channels.Scan(ctx, driver.Scan{Paging: driver.Paging{Limit: 1, KeysOnly: true}}); err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	if err := s.queue.Ping(ctx); err != nil {
		return fmt.Errorf("looking up the queue: %w", err)
	}
	return nil
}

// Messages is the queue of deletions, for who handles them.
func (s *Store) Messages() *driver.Queue { return s.queue }

const (
	// maxContention is many more than writers meet on one row: with n of them, one
	// succeeds each time.
	maxContention     = 1000
	maxContentionWait = 50 * time.Millisecond
)

// errTryAgain is what an attempt inside contend returns when another writer was
// faster. It never leaves contend.
var errTryAgain = errors.New("try again")

// contend repeats a read and conditional write while it answers errTryAgain,
// with jitter, so that the writers of one row do not meet again. The attempts
// are bounded: one row takes only so many writers.
func (s *Store) contend(ctx context.Context, attempt func() error) error {
	for n := range maxContention {
		err := attempt()
		if !errors.Is(err, errTryAgain) {
			return err
		}
		ceiling := min(time.Millisecond<<min(n, 10), maxContentionWait)
		if err := s.pause(ctx, rand.N(ceiling)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: too many writers on one row", domain.ErrUnavailable)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failedAt tells whether a transaction failed at the operation of this index
// with this meaning.
func failedAt(err error, index int, meaning error) bool {
	var failed *driver.OperationError
	return errors.As(err, &failed) && failed.Index == index && errors.Is(failed.Err, meaning)
}

// raced tells whether a conditional write failed because the row is not what
// was read: another writer was faster, or this is the echo of one's own attempt.
func raced(err error) bool {
	return errors.Is(err, domain.ErrConflict) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrExists)
}
