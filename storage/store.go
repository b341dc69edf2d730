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

// The tables. Their keys are in keys.go.
const (
	tableChannels      = "Channels"
	tableBlogs         = "Blogs"
	tableDeletions     = "Deletions"
	tableUsers         = "Users"
	tableSessions      = "Sessions"
	tableThrottle      = "Throttle"
	tableSubscriptions = "Subscriptions"
)

// DataTables names the tables. A copy of a store is a copy of these.
func DataTables() []string {
	return []string{tableChannels, tableBlogs, tableDeletions, tableUsers, tableSessions, tableThrottle, tableSubscriptions}
}

// A Store holds every operation of MicroBlogging on its tables and queues, for
// all backends. It is safe for concurrent use. It keeps nothing that another
// process needs, so that any number of processes may use the same backend at once.
//
// Unless an operation says otherwise, it returns domain.ErrUnavailable if the
// backend does not answer, or if too many others write to the same row. A write
// may then have taken effect or not.
type Store struct {
	backend driver.Backend
	traits  driver.Traits
	options Options

	channels      *driver.Table
	blogs         *driver.Table
	deletions     *driver.Table
	users         *driver.Table
	sessions      *driver.Table
	throttle      *driver.Table
	subscriptions *driver.Table
	queue         *driver.Queue
	poison        *driver.Queue

	hashing hashing
	counts  counts
	votes   voteLocks
}

// A Pause waits for d between two attempts at a contended row. If ctx ends first,
// it returns the error of ctx.
type Pause func(ctx context.Context, d time.Duration) error

// Options are what a Store may be told. The zero Options are what production runs; the
// model checker has other numbers, so that few rows show what many would.
type Options struct {
	// Around is put around each call of the backend, within the ledger.
	Around []driver.Around
	// Pause waits between two attempts at a contended row. Nil sleeps.
	Pause Pause
	// Flight is how many calls of one operation may be under way at once. Zero is what suits
	// the backend's traits; with 1, calls are made one after another.
	Flight int
	// LastFirst makes reads that might be made at once in the opposite order, if they are made
	// one after another. Reads at once may take effect in any.
	LastFirst bool
	// SweepRows is how many rows a transaction of a sweep deletes. Zero is as many as fit.
	SweepRows int
}

// New returns a store on a backend. Prepare must have succeeded once on that backend before
// any other operation is called.
func New(backend driver.Backend, o Options) *Store {
	if o.Pause == nil {
		o.Pause = sleep
	}
	if o.SweepRows == 0 {
		o.SweepRows = sweepRows
	}
	backend = driver.Wrap(backend, append([]driver.Around{driver.Enter}, o.Around...)...)
	table := func(name string) *driver.Table { return driver.NewTable(backend, name) }
	queue := func(name string) *driver.Queue { return driver.NewQueue(backend, name) }
	return &Store{
		backend:       backend,
		traits:        backend.Traits(),
		options:       o,
		channels:      table(tableChannels),
		blogs:         table(tableBlogs),
		deletions:     table(tableDeletions),
		users:         table(tableUsers),
		sessions:      table(tableSessions),
		throttle:      table(tableThrottle),
		subscriptions: table(tableSubscriptions),
		queue:         queue(domain.QueueName),
		poison:        queue(domain.PoisonQueueName),
		hashing:       newHashing(),
	}
}

// Prepare creates the tables and queues that are missing. It may be repeated, and
// several processes may call it at once.
func (s *Store) Prepare(ctx context.Context) error {
	for _, t := range []*driver.Table{s.channels, s.blogs, s.deletions, s.users, s.sessions, s.throttle, s.subscriptions} {
		if err := s.backend.CreateTable(ctx, t.Name()); err != nil {
			return fmt.Errorf("creating table %s: %w", t.Name(), err)
		}
	}
	for _, q := range []*driver.Queue{s.queue, s.poison} {
		if err := s.backend.CreateQueue(ctx, q.Name()); err != nil {
			return fmt.Errorf("creating queue %s: %w", q.Name(), err)
		}
	}
	return nil
}

// Ready checks that the store answers: it reads one row of a table and looks up the
// queue. It returns nil if both answered.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := s.channels.Scan(ctx, driver.Scan{Paging: driver.Paging{Limit: 1, KeysOnly: true}}); err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	if err := s.queue.Ping(ctx); err != nil {
		return fmt.Errorf("looking up the queue: %w", err)
	}
	return nil
}

// Messages returns the queue of deletions, from which workers receive.
func (s *Store) Messages() *driver.Queue { return s.queue }

const (
	// maxContention is how often contend tries. Of n writers that meet on one row,
	// one succeeds each time, and n is far smaller than this.
	maxContention = 1000
	// maxContentionWait is the longest pause between two attempts.
	maxContentionWait = 50 * time.Millisecond
)

// errTryAgain is returned by an attempt inside contend when another writer was
// faster, so that what it read is out of date. No exported operation returns it.
var errTryAgain = errors.New("try again")

// contend calls attempt, which reads a row and writes it conditionally, until it
// returns anything but errTryAgain. It pauses for a random time in between, so
// that the writers of one row do not meet again. After maxContention attempts it
// gives up with domain.ErrUnavailable.
func (s *Store) contend(ctx context.Context, attempt func() error) error {
	for n := range maxContention {
		err := attempt()
		if !errors.Is(err, errTryAgain) {
			return err
		}
		ceiling := min(time.Millisecond<<min(n, 10), maxContentionWait)
		if err := s.options.Pause(ctx, rand.N(ceiling)); err != nil {
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

// failedAt tells whether a transaction failed because of its operation number
// index, counted from 0, and with this meaning.
func failedAt(err error, index int, meaning error) bool {
	var failed *driver.OperationError
	return errors.As(err, &failed) && failed.Index == index && errors.Is(failed.Err, meaning)
}

// raced tells whether a conditional write failed because the row is not as it was
// read. Either another writer was faster, or the failure is the echo of the
// caller's own write: the write took effect, its reply was lost, and the backend's
// client sent it again.
func raced(err error) bool {
	return errors.Is(err, domain.ErrConflict) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrExists)
}
