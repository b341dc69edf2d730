package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
)

// deletionLog is the part of the store that progress is recorded in.
type deletionLog interface {
	OpenDeletion(ctx context.Context, m domain.Message) error
	UpdateDeletion(ctx context.Context, ref domain.ChannelRef, change func(*domain.Deletion) bool) error
}

// progress counts what one handling of a message has done and records it in the
// Deletions row: after the first transaction, and then at intervals. Each record also
// has the steps of this handling with their times, so that they cost no request of
// their own. A record that fails while rows are removed must not stop the work: it is
// logged, and the next one says more. progress is safe for concurrent use.
type progress struct {
	store deletionLog
	ref   domain.ChannelRef
	log   *slog.Logger
	// every is the time between two records while rows are being removed.
	every time.Duration
	// delivery is the number of the delivery that is being handled.
	delivery int64

	mu sync.Mutex
	// steps are the steps that this handling has entered. The last may be under way.
	steps []tracedStep
	// worker is the number of this handling in the trace; 0 before the first record.
	worker int
	// rows counts the rows that this handling removed.
	rows int64
	// before is the number of rows that the Deletions row counted when this handling began.
	// A record says before and rows together. So to write it again, or late, adds nothing;
	// of two handlings at once, the one that has counted more is believed.
	before int64
	// recorded is the time of the last record.
	recorded time.Time
}

// removed counts rows that were removed, and records them if a record is due.
func (p *progress) removed(ctx context.Context, rows int) {
	if !p.count(int64(rows)) {
		return
	}
	if err := p.record(ctx, running); err != nil {
		p.log.WarnContext(ctx, "progress not recorded", "channel", p.ref.Key, "error", err)
	}
}

// count counts rows and tells whether a record is due: if they are the first, or
// if the last record is old enough.
func (p *progress) count(rows int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.rows == 0
	p.rows += rows
	p.steps[len(p.steps)-1].Rows += rows
	return first || time.Since(p.recorded) >= p.every
}

// start records that the work has begun. It returns the number of the latest
// delivery that got further, of this message or of a copy.
func (p *progress) start(ctx context.Context, m domain.Message) (lastDelivery int64, err error) {
	p.enter(domain.StepReceive)
	if err := p.store.OpenDeletion(ctx, m); err != nil {
		return 0, err
	}
	p.leave(domain.StepDone)
	err = p.record(ctx, func(d *domain.Deletion) {
		running(d)
		p.before, lastDelivery = d.RowsDeleted, d.LastDelivery
	})
	return lastDelivery, err
}

func running(d *domain.Deletion) { d.State = domain.DeletionRunning }

// record brings the number of rows and the steps in the Deletions row up to date, and
// changes the row by change. The mutex is not held during the write: a slow record must
// not stop the removal of rows.
func (p *progress) record(ctx context.Context, change func(*domain.Deletion)) error {
	rows, steps, worker := p.take()
	further := p.removedRows()
	var number int
	err := p.store.UpdateDeletion(ctx, p.ref, func(d *domain.Deletion) bool {
		d.RowsDeleted = max(d.RowsDeleted, rows)
		if further {
			d.WaitingSince = time.Time{}
			d.LastDelivery = max(d.LastDelivery, p.delivery)
		}
		if step := current(steps); step != "" {
			d.Step = step
		}
		d.Trace, number = trace(d.Trace, steps, worker)
		change(d)
		return true
	})
	if err != nil {
		return err
	}
	p.noteRecord(steps, number)
	return nil
}

// take returns what the next record says. It marks the record as made, so that
// callers at the same time do not all write.
func (p *progress) take() (rows int64, steps []tracedStep, worker int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recorded = time.Now()
	return p.before + p.rows, slices.Clone(p.steps), p.worker
}

// removedRows tells whether this handling removed any row.
func (p *progress) removedRows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows > 0
}
