package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"microblogging/domain"
)

// progressEvery is the longest that a reader of the progress page waits for
// news while rows are being removed.
const progressEvery = time.Second

// deletionLog is where progress is recorded.
type deletionLog interface {
	OpenDeletion(ctx context.Context, m domain.Message) error
	UpdateDeletion(ctx context.Context, ref domain.ChannelRef, change func(*domain.Deletion) bool) error
}

// progress gathers what one handling of a message has done and writes it to the
// Deletions row: after the first transaction and then once a second. It is
// safe for concurrent use. A write that fails is logged and its rows are
// counted with the next, for progress must not stop the work.
type progress struct {
	store deletionLog
	ref   domain.ChannelRef
	log   *slog.Logger

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
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.rows == 0
	p.rows += int64(rows)
	p.pending += int64(rows)
	if !first && time.Since(p.written) < progressEvery {
		return
	}
	if err := p.record(ctx, func(d *domain.Deletion) { d.State = domain.DeletionRunning }); err != nil {
		p.log.WarnContext(ctx, "progress not recorded", "channel", p.ref.Key, "error", err)
	}
}

// start records that the work has begun.
func (p *progress) start(ctx context.Context, m domain.Message) error {
	if err := p.store.OpenDeletion(ctx, m); err != nil {
		return err
	}
	return p.settle(ctx, func(d *domain.Deletion) { d.State = domain.DeletionRunning })
}

// settle records what was done and changes the row as the outcome demands.
func (p *progress) settle(ctx context.Context, change func(*domain.Deletion)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.record(ctx, change)
}

// record writes with p.mu held.
func (p *progress) record(ctx context.Context, change func(*domain.Deletion)) error {
	err := p.store.UpdateDeletion(ctx, p.ref, func(d *domain.Deletion) bool {
		d.RowsDeleted += p.pending
		if p.step != "" {
			d.Step = p.step
		}
		change(d)
		return true
	})
	if err == nil {
		p.pending = 0
		p.written = time.Now()
	}
	return err
}

// gotFurther tells whether this handling removed any row.
func (p *progress) gotFurther() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows > 0
}
