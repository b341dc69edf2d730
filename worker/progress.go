package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

// progress counts what one handling of a message has done and records it in the
// Deletions row: after the first transaction, and then at intervals. Each record also
// has the steps of this handling with their times, so that they cost no request of
// their own. A record that fails while rows are removed must not stop the work: it is
// logged, and the next one says more. progress is safe for concurrent use.
type progress struct {
	store storage.Steps
	// of is the request to delete.
	of  domain.Message
	log *slog.Logger
	// every is the time between two records while rows are being removed.
	every time.Duration
	// delivery is the number of the delivery that is being handled.
	delivery int64

	// outdated reports whether the message asks for nothing any more: it is not of the request that is
	// recorded, and the deletion can still be undone (record); or it has neither record nor channel.
	outdated bool
	// worker is the number of this handling in the trace; 0 if the first record failed, and the
	// next one numbers it.
	worker int
	// before is the number of rows that the Deletions row counted when this handling began.
	// A record says before and rows together. So to write it again, or late, adds nothing;
	// of two concurrent handlings, the larger count wins.
	before int64

	mu sync.Mutex
	// steps are the steps that this handling has entered. The last may be under way.
	steps []domain.StepRecord
	// rows counts the rows that this handling removed.
	rows int64
	// recorded is the time of the last record.
	recorded time.Time
}

// start records that the work has begun. It returns the number of the latest
// delivery that got further, of this message or of a copy.
func (p *progress) start(ctx context.Context) (lastDelivery int64, err error) {
	p.enter(domain.StepReceive)
	p.outdated, err = p.store.RecordReceived(ctx, p.of)
	p.leave(stepResult(ctx, true, err))
	if err != nil || p.outdated {
		return 0, err
	}
	err = p.record(ctx, func(d *domain.Deletion) {
		running(d)
		p.worker, p.before, lastDelivery = d.StepLog.Workers()+1, d.RowsDeleted, d.LastDelivery
	})
	return lastDelivery, err
}

func running(d *domain.Deletion) { d.State = domain.DeletionRunning }

// enter begins a step. The next record says it.
func (p *progress) enter(step domain.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, domain.StepRecord{Step: step, Delivery: p.delivery, Began: domain.Now()})
}

// leave ends the step under way.
func (p *progress) leave(result domain.StepResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := &p.steps[len(p.steps)-1]
	last.Ended, last.Result = domain.Now(), result
}

// removed counts rows that were removed. It records them if they are the first, or if the last
// record is old enough.
func (p *progress) removed(ctx context.Context, rows int) {
	p.mu.Lock()
	due := p.rows == 0 || time.Since(p.recorded) >= p.every
	p.rows += int64(rows)
	p.steps[len(p.steps)-1].Rows += int64(rows)
	p.mu.Unlock()
	if !due {
		return
	}
	if err := p.record(ctx, running); err != nil {
		p.log.WarnContext(ctx, "could not record the progress of a deletion", "channel", p.of.Channel, "error", err)
	}
}

// record brings the number of rows and the steps in the Deletions row up to date, and
// changes the row by change. The mutex is not held during the write: a slow record must
// not stop the removal of rows.
func (p *progress) record(ctx context.Context, change func(*domain.Deletion)) error {
	p.mu.Lock()
	steps, rows := slices.Clone(p.steps), p.rows
	p.recorded = time.Now() // before it is, so that callers at the same time do not all write
	p.mu.Unlock()
	err := p.store.UpdateRecord(ctx, p.of, func(d *domain.Deletion) bool {
		// A request may have sent its message and died. The user asks again, and is told a later time:
		// that of the record, which has a message of its own.
		if d.Outdates(p.of) {
			p.mu.Lock() // calls that remove rows concurrently may all record
			p.outdated = true
			p.mu.Unlock()
			return false
		}
		d.RowsDeleted = max(d.RowsDeleted, p.before+rows)
		if rows > 0 {
			d.WaitingSince = time.Time{}
			d.LastDelivery = max(d.LastDelivery, p.delivery)
		}
		if last := steps[len(steps)-1].Step; last != domain.StepReceive {
			d.Step = last
		}
		change(d)
		worker := cmp.Or(p.worker, d.StepLog.Workers()+1)
		for _, step := range steps {
			step.Worker = worker
			d.StepLog = d.StepLog.With(step)
		}
		return true
	})
	if errors.Is(err, domain.ErrNotFound) {
		return nil // the deletion has ended, so long ago that a pass has removed the record
	}
	return err
}
