package fence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// mostSweepRows rows and the merge of the shut gate fill a transaction.
	mostSweepRows = driver.MaxOperations - 1
	// sweepPage is a whole number of full batches, so that no page ends in a
	// transaction of a few rows.
	sweepPage = driver.MaxPage / mostSweepRows * mostSweepRows
	// sweepFlight is the largest number of concurrent transactions. The store works on one
	// while others are on the network. More would only wait at the partition.
	sweepFlight = 4
	// sweepFlightTogether is the same for a backend that commits transactions together. While it
	// writes some of them, the others are prepared. More would keep the writes of other clients
	// waiting: twenty transactions are 2,000 rows.
	sweepFlightTogether = 20
	// sweepPagesTogether is how many pages a call of Sweep reads for such a backend, without waiting
	// for the rows of the page before to be gone. A worker that is told to stop does so between two
	// calls.
	sweepPagesTogether = 12
)

// sweepLimit returns how many transactions of a sweep may run concurrently, and how many pages a
// call of Sweep reads for them at most.
func (s *Fence) sweepLimit() (transactions, pages int) {
	switch {
	case s.Limit > 0:
		return s.Limit, 1
	case s.together > 1:
		return max(sweepFlight, min(s.together, sweepFlightTogether)), sweepPagesTogether
	}
	return sweepFlight, 1
}

// A SweepPage is what one call of Sweep found.
type SweepPage struct {
	// Next is the continuation of the pass. It is empty at the end of the partition.
	Next string
	// Found is the number of rows that it read and that are not gates.
	Found int
	// GateGone reports whether the shut gate is gone. Then another worker has finished
	// the sweep, and this one cannot delete another row.
	GateGone bool
}

// Sweep deletes one page of the rows behind the shut gate: the first page, or the page after a
// continuation. If the backend commits transactions together, it deletes several pages. It does not
// compare incarnations. Each transaction merges the shut gate instead. While that exists, no other
// incarnation has rows here except gates, and Sweep leaves all gates. Without that condition, a late sweep
// could delete rows of a later incarnation. A transaction fails if another worker has deleted one of its
// rows; the next pass finds what is left. The sweep is finished when a whole pass from the start finds no
// row.
//
// Sweep calls report after each transaction with the number of rows that it deleted, maybe
// from several goroutines concurrently. It does not report a transaction that took effect
// although its response was lost.
func (s *Fence) Sweep(ctx context.Context, ref domain.ChannelRef, continuation string, report func(rows int)) (swept SweepPage, err error) {
	transactions, pages := s.sweepLimit()
	group := concurrent.NewGroup(transactions)
	var gateGone atomic.Bool
	defer func() { // also after a panic, so that nothing is reported once Sweep has returned
		// The transactions under way are awaited, because what they remove is progress that must be
		// counted.
		err = errors.Join(err, group.WaitAll())
		swept.GateGone = gateGone.Load()
	}()
	swept.Next = continuation
	for range pages {
		//lab: List the rows of the channel, which may change right afterwards.
		page, err := s.blogs.Range(ctx, driver.Range{
			Partition: schema.ChannelPartition(ref.Key),
			Paging:    driver.Paging{Limit: sweepPage, Continuation: swept.Next, Select: []string{schema.PropIncarnation, schema.PropUserID}},
		})
		if err != nil {
			return swept, fmt.Errorf("sweeping channel %s: %w", ref.Key, err)
		}
		rows := slices.DeleteFunc(page.Rows, func(row driver.Entity) bool { return schema.IsGate(row.Row) })
		swept.Next, swept.Found = page.Continuation, swept.Found+len(rows)
		for batch := range slices.Chunk(rows, s.sweepRows) {
			group.Go(func() error {
				if group.Failed() {
					return nil // after one has failed, no other starts
				}
				switch removed, err := s.sweepBatch(ctx, ref, batch); {
				case errors.Is(err, ErrGateGone):
					gateGone.Store(true)
				case err != nil:
					return fmt.Errorf("sweeping channel %s: %w", ref.Key, err)
				case removed:
					report(len(batch))
				}
				return nil
			})
		}
		if swept.Next == "" || gateGone.Load() || group.Failed() {
			break
		}
	}
	return swept, nil
}

// sweepBatch deletes rows in one transaction, and reports whether it did. If one of the rows no
// longer exists, it returns false: either another worker has deleted the row, or this transaction
// has committed before and its response was lost. The next pass finds what is left.
func (s *Fence) sweepBatch(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) (removed bool, err error) {
	for _, prepare := range s.beforeRemoval {
		if err := prepare(ctx, ref, rows); err != nil {
			return false, err
		}
	}
	ops := make([]driver.Operation, len(rows))
	for i, row := range rows {
		ops[i] = driver.Delete(row.Row, driver.Exists)
	}
	//lab: Remove these rows in one transaction.
	err = s.transactIfShut(ctx, ref, ops...)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
