package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The operations of the cascade. Each is one step of package worker's list, may
// be repeated at any time, by anyone, however late, and changes nothing of any
// other incarnation.

const (
	// sweepBatch rows and the guard fill a transaction.
	sweepBatch = driver.MaxOperations - 1
	// sweepPage is a whole number of full batches, so that no page ends in a
	// transaction of a few rows.
	sweepPage = driver.MaxPage / sweepBatch * sweepBatch
	// sweepFlight bounds the transactions under way at once. The store works on
	// one while another travels; more would only queue up at the partition.
	sweepFlight = 4
)

// A SweepPage is what one call of Sweep found.
type SweepPage struct {
	// Next continues the pass; it is empty at the end of the partition.
	Next string
	// Found counts the rows found, other than gates.
	Found int
	// Disarmed tells that the shut gate is gone: another worker finished the
	// sweep, and this one could not remove another row if it tried.
	Disarmed bool
}

// Sweep removes one page of the rows behind the shut gate: the first, or the one
// that a continuation names. Each transaction is conditional on that gate, so that a sweep which arrives
// late removes nothing of a later incarnation. A transaction that fails because
// somebody else removed or moved one of its rows is left to the next pass: the
// sweep is over when a pass from the start finds nothing.
//
// After each transaction report is told how many rows it removed; it may be
// called from several goroutines at once.
func (s *Store) Sweep(ctx context.Context, ref domain.ChannelRef, continuation string, report func(rows int)) (SweepPage, error) {
	page, err := s.blogs.Range(ctx, driver.Range{
		Partition: partitionOf(ref.Key),
		Paging:    driver.Paging{Limit: sweepPage, Continuation: continuation, KeysOnly: true},
	})
	if err != nil {
		return SweepPage{}, fmt.Errorf("sweeping channel %s: %w", ref.Key, err)
	}
	rows := withoutGates(page.Rows)
	disarmed, err := s.sweepRows(ctx, ref, rows, report)
	return SweepPage{Next: page.Continuation, Found: len(rows), Disarmed: disarmed}, err
}

func withoutGates(rows []driver.Entity) []string {
	keys := make([]string, 0, len(rows))
	for _, row := range rows {
		if !isGate(row.Row) {
			keys = append(keys, row.Row)
		}
	}
	return keys
}

// sweepRows deletes the rows in transactions, several at once. After one has
// failed, no other starts. Those under way end: what they remove is progress, and
// must be counted.
func (s *Store) sweepRows(ctx context.Context, ref domain.ChannelRef, rows []string, report func(int)) (disarmed bool, err error) {
	var gateGone atomic.Bool
	var failed failures
	var group errgroup.Group // without a context, which would cut off those under way
	group.SetLimit(sweepFlight)
	for batch := range slices.Chunk(rows, sweepBatch) {
		group.Go(func() error {
			if failed.any() {
				return nil
			}
			err := s.sweepTransaction(ctx, ref, batch)
			switch {
			case err == nil:
				report(len(batch))
			case gateMissing(err):
				gateGone.Store(true)
			case errors.Is(err, domain.ErrNotFound):
				// Another worker was faster, or this is our own echo.
			default:
				failed.add(fmt.Errorf("sweeping channel %s: %w", ref.Key, err))
			}
			return nil
		})
	}
	_ = group.Wait() // the failures are gathered apart: a group keeps only the first
	return gateGone.Load(), failed.joined()
}

// failures gathers the errors of several goroutines.
type failures struct {
	mu   sync.Mutex
	errs []error
}

func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

func (f *failures) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.errs) > 0
}

func (f *failures) joined() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.errs...)
}

func (s *Store) sweepTransaction(ctx context.Context, ref domain.ChannelRef, rows []string) error {
	ops := make([]driver.Operation, 0, 1+len(rows))
	ops = append(ops, holdShutGate(ref))
	for _, row := range rows {
		if user, ok := subscriberOf(row); ok {
			// First the user's row, in another table: once this one is gone, nobody
			// would know of it. Its key carries the incarnation, so that however late
			// this is, it is not another life's. Who is joining more slowly than this
			// writes it again; then it is of a dead incarnation, and goes when it is read.
			if err := s.deleteSubscription(ctx, ref, user); err != nil {
				return err
			}
		}
		ops = append(ops, driver.Delete(row, driver.Exists))
	}
	return s.blogs.Transact(ctx, partitionOf(ref.Key), ops...)
}
