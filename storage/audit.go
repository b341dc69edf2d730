package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// auditEvery is the time from the beginning of an audit to that of the next.
const auditEvery = 24 * time.Hour

// An Audit is how far the audit of the whole store has come. It finds what no index does:
//
//   - marked channels and rows with an end that an earlier version wrote, or that landed
//     late, and so are on no index;
//   - active rows without a gate, of creations that died or of inserts that landed late.
//
// It reads Channels, Sessions and Throttle, and then looks for the gates of the channels
// that no audit has seen with a gate. A channel that was seen with its gate bears that in
// its row (propGated), so that its gate is not looked for again.
type Audit struct {
	// Began is when the audit began.
	Began time.Time `json:"began,omitzero"`
	// Stage is what is being read. It is empty when there is nothing to do before the
	// next audit.
	Stage AuditStage `json:"stage,omitempty"`
	// At is the partition key from which the stage goes on.
	At string `json:"at,omitempty"`
	// Gates is the channel from which StageGates goes on, also in the next audit: it may
	// take days.
	Gates string `json:"gates,omitempty"`
}

// An AuditStage is a part of an audit.
type AuditStage string

// The stages, in their order.
const (
	StageChannels AuditStage = "channels"
	StageSessions AuditStage = "sessions"
	StageThrottle AuditStage = "throttle"
	StageGates    AuditStage = "gates"
)

// propGated says that a channel's row, of this incarnation, was seen with its open gate. A
// row that is active and bears it has the gate still: a deletion marks the row before it
// shuts the gate, and the property was written in the version that was read before the
// gate. A late copy of the row's insert does not bear it.
const propGated = "Gated"

// Audit goes on with an audit, or begins one if it is time. It makes about this many
// requests: a page of 1,000 rows is one, and a channel whose gate is looked for is two.
// What it finds to do comes on top. It returns how far it has come. If the store does not
// answer, the next call does the same part again.
func (s *Store) Audit(ctx context.Context, from Audit, requests int, patience time.Duration, handedOut time.Time) (Audit, Reconciled, error) {
	a := auditing{Audit: from, pass: &pass{Store: s, since: handedOut.Add(-patience)}, requests: requests}
	if (from.Stage == "" || from.Stage == StageGates) && !domain.Recent(from.Began, auditEvery) {
		a.Began, a.Stage, a.At = domain.Now(), StageChannels, ""
	}
	var err error
	for a.Stage != "" && a.requests > 0 && err == nil {
		err = a.step(ctx)
	}
	return a.Audit, a.done, err
}

// auditing is a part of an audit.
type auditing struct {
	Audit
	*pass
	requests int
}

// step reads one page. It goes on behind the page unless the store did not answer.
func (a *auditing) step(ctx context.Context) error {
	table, from := a.channels, a.At
	switch a.Stage {
	case StageChannels:
	case StageSessions:
		table = a.sessions
	case StageThrottle:
		table = a.throttle
	case StageGates:
		from = a.Gates
	default: // of a later version
		a.Stage = ""
		return nil
	}
	page, err := a.page(ctx, table, from)
	if err != nil {
		return fmt.Errorf("auditing %s: %w", a.Stage, err)
	}
	next := ""
	if page.Continuation != "" {
		next = nextPartition(page.Rows[len(page.Rows)-1].Partition)
	}
	switch a.Stage {
	case StageChannels:
		a.marked(ctx, page)
	case StageGates:
		if stopped := a.gates(ctx, page); stopped != "" {
			next = stopped
		}
	default:
		r := newRemoval(table)
		r.page(ctx, page)
		if err := r.wait(); err != nil {
			a.failures.add(err)
		}
		a.done.Expired += int(r.removed.Load())
	}
	err = a.failures.joined()
	if !errors.Is(err, domain.ErrUnavailable) {
		a.advance(next)
	}
	return err
}

// page reads the first page with rows from a partition on.
func (a *auditing) page(ctx context.Context, table *driver.Table, from string) (page driver.Page, err error) {
	q := driver.Scan{From: from, Paging: driver.Paging{Limit: driver.MaxPage}}
	for {
		a.requests--
		page, err = table.Scan(ctx, q)
		if err != nil || len(page.Rows) > 0 || page.Continuation == "" {
			return page, err
		}
		q.Continuation = page.Continuation
	}
}

// nextPartition is where an audit goes on. It leaves out the rest of an index by time.
func nextPartition(last string) string {
	if isDuePartition(last) {
		return prefixEnd(prefixDue)
	}
	return successor(last)
}

// advance goes on from a partition, or with the next stage if that is empty.
func (a *auditing) advance(next string) {
	if a.Stage == StageGates {
		if a.Gates = next; next == "" {
			a.Stage = ""
		}
		return
	}
	if a.At = next; next != "" {
		return
	}
	a.Stage = map[AuditStage]AuditStage{StageChannels: StageSessions, StageSessions: StageThrottle, StageThrottle: StageGates}[a.Stage]
}

// marked puts the marked channels of a page on the index, and does what they need.
func (a *auditing) marked(ctx context.Context, page driver.Page) {
	for _, entity := range page.Rows {
		row := decodeChannel(entity)
		if row.State != domain.ChannelDeleting {
			continue
		}
		if err := a.lookAtUnindexed(ctx, row); err != nil {
			a.failures.add(fmt.Errorf("channel %s: %w", row.Key(), err))
		}
	}
}

// lookAtUnindexed puts a marked channel on the index, unless its deletion waits in poison
// for an operator, and does what it needs.
func (a *auditing) lookAtUnindexed(ctx context.Context, row channelRow) error {
	record, err := a.deletions.Get(ctx, partitionOf(row.Key()), deletionRow(row.Incarnation))
	switch {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	case err == nil && decodeDeletion(record).State == domain.DeletionPoisoned:
		return nil
	}
	if err := a.renewOpen(ctx, row.Ref()); err != nil {
		return err
	}
	return a.lookAtMarked(ctx, row)
}

// gates looks for the gates of the channels of a page that were not seen with one. If it
// has made enough requests, it returns the channel to go on from. It looks for one gate at
// least, so that it gets further.
func (a *auditing) gates(ctx context.Context, page driver.Page) (stopped string) {
	looked := false
	for _, entity := range page.Rows {
		row := decodeChannel(entity)
		if row.State == domain.ChannelDeleting || entity.Properties.Bool(propGated) {
			continue
		}
		if looked && a.requests <= 0 {
			return entity.Partition
		}
		looked = true
		a.requests -= 2
		if err := a.gate(ctx, row); err != nil {
			a.failures.add(fmt.Errorf("channel %s: %w", row.Key(), err))
		}
	}
	return ""
}

// gate looks for the gate of an active row. It deletes a row without one.
func (a *auditing) gate(ctx context.Context, row channelRow) error {
	open, err := a.gateStands(ctx, row.Ref())
	switch {
	case err != nil:
		return err
	case !open:
		return a.reclaim(ctx, row)
	}
	err = a.channels.Transact(ctx, partitionOf(row.Key()), driver.Merge(singleRow, driver.Match(row.etag), driver.Bool(propGated, true)))
	if raced(err) {
		return nil // the next audit looks again
	}
	return err
}
