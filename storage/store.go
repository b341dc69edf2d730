package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/check"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/erasure"
	"microblogging/storage/flight"
	"microblogging/storage/fresh"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// DataTables names the tables. A copy of a store is a copy of these.
func DataTables() []string { return schema.Tables() }

type (
	accountSteps  = account.Steps
	blogSteps     = blog.Steps
	channelSteps  = channel.Steps
	deletionSteps = deletion.Steps
	readerSteps   = reader.Steps
	erasureSteps  = erasure.Steps
)

// A Store holds every operation of MicroBlogging on its tables and queues, for
// all backends. It is safe for concurrent use. It keeps nothing that another
// process needs, so that any number of processes may use the same backend concurrently.
//
// Unless an operation says otherwise, it returns domain.ErrUnavailable if the
// backend does not answer, or if too many others write to the same row. A write
// may then have taken effect or not.
type Store struct {
	*fence.Fence
	channelSteps
	deletionSteps
	blogSteps
	readerSteps
	*fresh.Versions
	accountSteps
	erasureSteps

	backend driver.Backend

	channels, blogs, deletions *driver.Table
	queue, poison              *driver.Queue
}

// Options are what a Store may be told. The zero Options are what production runs; the
// model checker has other numbers, so that few rows show what many would.
type Options struct {
	// Around is put around each call of the backend, within the ledger.
	Around []driver.Around
	// Pause waits between two attempts at a contended row. Nil sleeps.
	Pause optimistic.Pause
	// Flight is how many calls of one operation may run concurrently. Zero is what suits
	// the backend's traits; with 1, calls are made one after another.
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
	// NoErasure leaves out what requests do only so that accounts can be deleted: that they put a
	// channel on its owner's list, and check that the account is active. The model checker sets it
	// where nobody deletes one.
	NoErasure bool
	// HashPassword makes the hash of a password that is stored. Nil is domain.HashPassword,
	// which is slow on purpose; a test whose subject is no password may have a cheap one.
	HashPassword func(password string) string
}

// New returns a store on a backend. In each process, Prepare or Ready must have succeeded on that
// backend before an operation is called that writes.
func New(backend driver.Backend, o Options) *Store {
	backend = driver.Wrap(backend, append([]driver.Around{driver.Enter}, o.Around...)...)
	reads := flight.Reads{InTurn: o.Flight == 1 || !backend.Traits().ReadsAtOnce, LastFirst: o.LastFirst, Most: o.Flight}
	accounts := account.New(backend, reads, o.Pause, o.HashPassword)
	requireActive := accounts.RequireActive
	if o.NoErasure {
		requireActive = nil
	}
	channels := fence.New(backend, reads, requireActive, o.Pause, o.SweepRows)
	deletions := deletion.New(backend, channels, o.Pause, o.Undo)
	posts := blog.New(backend, channels, deletions, o.Pause, o.ActivePartitions)
	versions := fresh.New(backend, channels)
	lists := channel.New(backend, channels, deletions, versions, o.Pause)
	readers := reader.New(backend, channels, posts, versions, o.Pause)
	return &Store{
		Fence:         channels,
		channelSteps:  lists,
		deletionSteps: deletions,
		blogSteps:     posts,
		readerSteps:   readers,
		Versions:      versions,
		accountSteps:  accounts,
		erasureSteps:  erasure.New(backend, reads, accounts, deletions, lists, posts, readers, o.Pause, o.UndoAccount),
		backend:       backend,
		channels:      driver.NewTable(backend, schema.TableChannels),
		blogs:         driver.NewTable(backend, schema.TableBlogs),
		deletions:     driver.NewTable(backend, schema.TableDeletions),
		queue:         driver.NewQueue(backend, domain.QueueName),
		poison:        driver.NewQueue(backend, domain.PoisonQueueName),
	}
}

// Prepare creates the tables and queues, unless they are there. Several processes may call it
// concurrently. If a part of a store is missing, Prepare creates nothing, and its error is no
// domain.ErrUnavailable.
//
// A process writes no row before its Prepare has created everything in a fixed order: the tables and
// then the queues. So the creation of a store was interrupted if the tables have no rows, and no
// table exists that comes after a missing one; then Prepare completes it. Otherwise something was
// lost.
func (s *Store) Prepare(ctx context.Context) error {
	missing, made, err := s.look(ctx)
	if made && len(missing) > 0 { // another process may have created them between two of the reads
		missing, made, err = s.look(ctx)
	}
	switch {
	case err != nil || len(missing) == 0:
		return err
	case made:
		return fmt.Errorf("a part of the store is missing: %s; nothing was created. Create it empty by hand and run check, or remove what is left for a new store",
			strings.Join(missing, ", "))
	}
	for _, table := range schema.Tables() {
		if err := driver.NewTable(s.backend, table).Create(ctx); err != nil {
			return fmt.Errorf("creating table %s: %w", table, err)
		}
	}
	for _, q := range []*driver.Queue{s.queue, s.poison} {
		if err := q.Create(ctx); err != nil {
			return fmt.Errorf("creating queue %s: %w", q.Name(), err)
		}
	}
	return nil
}

// Ready checks that the whole store answers: it reads one row of each table and looks up each
// queue. If some do not exist, the error is domain.ErrMissing and names them.
func (s *Store) Ready(ctx context.Context) error {
	missing, _, err := s.look(ctx)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: %s", domain.ErrMissing, strings.Join(missing, ", "))
	}
	return err
}

// look returns the names of the tables and queues that do not exist. It reports made if there was a
// row, or a table that Prepare creates after a missing one. It reads what Prepare creates last
// first, so a creation that is under way is not taken for made.
func (s *Store) look(ctx context.Context) (missing []string, made bool, err error) {
	for _, queue := range []*driver.Queue{s.poison, s.queue} {
		if _, err := queue.Length(ctx); errors.Is(err, domain.ErrMissing) {
			missing = append(missing, queue.Name())
		} else if err != nil {
			return nil, false, fmt.Errorf("looking up queue %s: %w", queue.Name(), err)
		}
	}
	there := false
	for _, name := range slices.Backward(schema.Tables()) {
		page, err := driver.NewTable(s.backend, name).Scan(ctx, driver.Scan{Paging: driver.Paging{Limit: 1, KeysOnly: true}})
		switch {
		case errors.Is(err, domain.ErrMissing):
			missing, made = append(missing, name), made || there
		case err != nil:
			return nil, false, fmt.Errorf("reading table %s: %w", name, err)
		default:
			there, made = true, made || len(page.Rows) > 0 || page.Continuation != ""
		}
	}
	return missing, made, nil
}

// NewChecker returns a checker of this store. See the fields of check.Checker.
func (s *Store) NewChecker(patience time.Duration, repair bool, report func(domain.Violation)) *Checker {
	return check.New(s.backend, s.Fence, s.deletionSteps, s.readerSteps, s.channelSteps, s.blogSteps, patience, repair, report)
}
