package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// sweepBatch rows and the merge of the shut gate fill a transaction.
	sweepBatch = driver.MaxOperations - 1
	// sweepPage is a whole number of full batches, so that no page ends in a
	// transaction of a few rows.
	sweepPage = driver.MaxPage / sweepBatch * sweepBatch
	// sweepFlight is the largest number of transactions under way at once. The store
	// works on one while others travel. More would only wait at the partition. A
	// driver.GroupCommitter gets those of a whole page.
	sweepFlight = 4
)

// sweepLimit returns how many transactions of a sweep may be under way at once.
func (s *Store) sweepLimit() int {
	if group, ok := s.tables.(driver.GroupCommitter); ok {
		return max(sweepFlight, group.CommitsTogether())
	}
	return sweepFlight
}

// A SweepPage is what one call of Sweep found.
type SweepPage struct {
	// Next is the continuation of the pass. It is empty at the end of the partition.
	Next string
	// Found is the number of rows on the page that are not gates.
	Found int
	// Disarmed reports that the shut gate is gone. Then another worker has finished
	// the sweep, and this one cannot delete another row.
	Disarmed bool
}

// Sweep deletes one page of the rows behind the shut gate: the first page, or the
// page after a continuation. Each transaction holds that gate, so that a sweep that
// arrives late deletes no row of a later incarnation. A transaction fails if
// somebody else has deleted one of its rows; the next pass finds what is left. The
// sweep is finished when a whole pass from the start finds no row.
//
// Sweep calls report after each transaction with the number of rows it deleted. It
// may call report from several goroutines at once.
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
	group := newUnbrokenFlight(s.sweepLimit())
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
				// Another worker was faster, or this is the echo of this transaction.
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
			// The user's row goes first. It is in another table, and nobody could find
			// it once this row is gone. Its key carries the incarnation, so that even
			// a late call deletes no row of another incarnation. A joiner who is
			// slower than this writes the user's row again. That row is dangling, and
			// is deleted when it is read.
			if err := s.deleteSubscription(ctx, ref, user); err != nil {
				return err
			}
		}
		ops = append(ops, driver.Delete(row, driver.Exists))
	}
	return s.blogs.Transact(ctx, partitionOf(ref.Key), ops...)
}
