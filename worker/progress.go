package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"microblogging/domain"
)

// deletionLog is where progress is recorded.
type deletionLog interface {
	OpenDeletion(ctx context.Context, m domain.Message) error
	UpdateDeletion(ctx context.Context, ref domain.ChannelRef, change func(*domain.Deletion) bool) error
}

// progress gathers what one handling of a message has done and writes it to the
// Deletions row: after the first transaction and then at intervals. It is
// safe for concurrent use. A write that fails is logged and its rows are
// counted with the next, for progress must not stop the work.
type progress struct {
	store deletionLog
	ref   domain.ChannelRef
	log   *slog.Logger
	// every is the longest time between two records while rows are removed.
	every time.Duration

	mu sync.Mutex
	// step is the step under way.
	step domain.Step
	// rows counts the rows removed by this handling; pending are those of them
	// that the Deletions row does not count yet.
	rows, pending int64
	written       time.Time
}

func (p *progress) enter(step domain.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = step
}

// removed counts rows, and records them if they are the first or the last record
// is old enough.
func (p *progress) removed(ctx context.Context, rows int) {
	if !p.count(int64(rows)) {
		return
	}
	if err := p.settle(ctx, func(d *domain.Deletion) { d.State = domain.DeletionRunning }); err != nil {
		p.log.WarnContext(ctx, "progress not recorded", "channel", p.ref.Key, "error", err)
	}
}

// count tells whether it is time to record.
func (p *progress) count(rows int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.rows == 0
	p.rows += rows
	p.pending += rows
	return first || time.Since(p.written) >= p.every
}

// start records that the work has begun.
func (p *progress) start(ctx context.Context, m domain.Message) error {
	if err := p.store.OpenDeletion(ctx, m); err != nil {
		return err
	}
	return p.settle(ctx, func(d *domain.Deletion) { d.State = domain.DeletionRunning })
}

// settle records what was done and changes the row as the outcome demands. The
// mutex is not held meanwhile: a store that is slow to record must not stop
// those who remove rows.
func (p *progress) settle(ctx context.Context, change func(*domain.Deletion)) error {
	rows, step := p.take()
	err := p.store.UpdateDeletion(ctx, p.ref, func(d *domain.Deletion) bool {
		d.RowsDeleted += rows
		if step != "" {
			d.Step = step
		}
		change(d)
		return true
	})
	if err != nil {
		p.putBack(rows)
	}
	return err
}

// take is what the record to be written counts. From here on it counts as
// written, so that one caller at a time writes.
func (p *progress) take() (rows int64, step domain.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows, p.pending = p.pending, 0
	p.written = time.Now()
	return rows, p.step
}

func (p *progress) putBack(rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending += rows
}

// gotFurther tells whether this handling removed any row.
func (p *progress) gotFurther() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows > 0
}
