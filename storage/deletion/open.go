package deletion

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A deletion is open from the request that asks for it to its end. So that the reconciling
// pass finds the open deletions without reading every channel, each has an index row in a
// few partitions of Deletions that hold nothing else. Backlog counts these rows, and web processes find
// in them whose accounts are being deleted.
//
// The row must exist while the deletion is open, whichever process stalls or dies:
//
//   - A process that opens a deletion first reads the row that it will change: the channel's, the
//     account's, or a record that is poisoned or of an earlier request. Then it renews the index row,
//     which gives that a new ETag.
//     Then it writes the row that it read, in the version that it read. A request opens a deletion by setting
//     the row pending, or by replacing the record of an earlier request; a worker, by taking an
//     active row past the pivot because the request died (pivot.go); an operator, by requeueing a
//     poisoned record.
//   - Only the pass removes index rows. It scans them, then reads the record and, if needed, the
//     channel's row. If a write that is under way could still open the deletion, the pass gives the
//     row that this write depends on a new version. Only then it removes the index row, in the
//     version that it scanned.
//
// If a process renewed the index row after the scan, the removal fails. If before, its later write and
// that of the pass are of one row. If its own is first, the pass finds the deletion open, or fails to write,
// and the index row stays. If that of the pass is first, its own fails, and the process begins again.
// (A request that the pass has given up does not: Request fails.)
//
// The pass does this, by the record of a channel's deletion and the channel's row. A deletion is stalled
// if each message sent before some time was received and, since three leases before that, it made no
// progress, could not be undone and waited for no retry (record.go, reconcile.go).
//
//	record                    channel's row                   the pass
//	poisoned                  any                             writes the record, then removes the index row
//	pending, queued, running  any                             sends a message if the deletion is stalled
//	undone, done              absent                          removes the index row
//	none                      absent, renewed < 1 h ago       nothing: the request may be under way
//	none                      absent                          removes the index row
//	done                      deleting                        deletes the row; the next pass goes on
//	done                      active or pending               deletes the row if it has no gate; the next pass goes on
//	none, undone              pending or deleting             records the deletion; a later pass goes on by that
//	none                      active, renewed < 1 h ago       nothing: the request may be under way
//	none                      active                          undoes the request and records that, then removes the index row
//	undone                    active                          writes the record, then removes the index row
//
// If the record is undone and the row is pending, the record is of an earlier request: the row has a higher
// undo count.
// If the row is absent before the record is there, another user has created the channel in place of one without a
// gate. The worker drops the message then (RecordReceived), and the request inserts a record that needs another.
// A delayed duplicate of a renewal leaves a row of no deletion, which a pass removes. A delayed
// duplicate of a removal names a version that is gone, and fails.
//
// The deletion of a post that has had replies has an index row too, because its message may be lost once the post is
// gone, and nothing else leads to replies without their post. It has no record. What removes the post first renews
// the index row, and a pass completes the deletion (CompleteBlog).
//
// The index row says when the work is due. The message of a channel is sent when the deletion is asked for,
// and is invisible until the work is due. If a pass sends another while the record is pending, that is
// invisible for the whole time to undo again. The message of an account is sent by the pass, once the
// work is due by the clock of the pass: no message waits for days.

// requestLifetime is how long a request to delete may be under way.
const requestLifetime = time.Hour

// openFlight is how many open deletions a pass handles concurrently.
const openFlight = 8

// RenewOpen writes the index row of an open deletion whose work is due then, and gives it a new
// version.
func (s Steps) RenewOpen(ctx context.Context, ref domain.ChannelRef, due time.Time) error {
	return s.renewOpen(ctx, ref, schema.RefRow(ref), due)
}

// RenewOpenBlog writes the index row of the deletion of a post, as RenewOpen does.
func (s Steps) RenewOpenBlog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) error {
	return s.renewOpen(ctx, ref, schema.OpenBlogRow(ref, id), domain.Now())
}

func (s Steps) renewOpen(ctx context.Context, ref domain.ChannelRef, row string, due time.Time) error {
	//lab: Put the deletion on the index of open deletions.
	err := s.deletions.Transact(ctx, schema.OpenPartition(ref.Key),
		driver.Merge(row, driver.Upsert, driver.Time(schema.PropRequestedOn, domain.Now()), driver.Time(schema.PropDueOn, due)))
	if err != nil {
		return fmt.Errorf("indexing the deletion of channel %s: %w", ref.Key, err)
	}
	return nil
}

// removeOpen removes an index row in the version that was scanned.
func (s Steps) removeOpen(ctx context.Context, index driver.Entity) error {
	//lab: Take the deletion off the index.
	err := s.deletions.Transact(ctx, index.Partition, driver.Delete(index.Row, driver.Match(index.ETag)))
	return optimistic.UnlessRaced(err) // another process has renewed or removed it
}

// A pass is one reconciling pass.
type pass struct {
	Steps
	// since is the time before which a stalled deletion has made its last progress.
	since time.Time

	requeued, ungated atomic.Int64
}

// lookAtOpen handles every open deletion, several concurrently. If one fails, it goes on with the
// others.
func (p *pass) lookAtOpen(ctx context.Context) error {
	group := p.fence.Unbroken(openFlight)
	//lab: Read the index of open deletions.
	for index, err := range p.Deletions.deletions.All(ctx, driver.Scan{From: schema.OpenPrefix, To: schema.PrefixEnd(schema.OpenPrefix)}) {
		if err != nil {
			return errors.Join(fmt.Errorf("reading the open deletions: %w", err), group.WaitAll())
		}
		group.Go(func() error {
			if err := p.lookAt(ctx, index); err != nil {
				return fmt.Errorf("deletion %s: %w", index.Row, err)
			}
			return nil
		})
	}
	return group.WaitAll()
}

// lookAt handles a deletion that is on the index, in the order of the table above.
func (p *pass) lookAt(ctx context.Context, index driver.Entity) error {
	if ref, id, ok := schema.ParseOpenBlogRow(index.Row); ok {
		if err := p.completeBlog(ctx, ref, id); err != nil {
			return err
		}
		return p.removeOpen(ctx, index)
	}
	ref := schema.ParseRefRow(index.Row)
	if ref.Key.AccountOf() != "" { // the key of the deletion of an account begins with @
		return p.lookAtAccount(ctx, index, ref)
	}
	//lab: Read the record of a deletion that is on the index.
	record, err := p.Deletions.deletions.Find(ctx, schema.ChannelPartition(ref.Key), schema.DeletionRow(ref.Incarnation))
	if err != nil {
		return err
	}
	d := Decode(record)
	done, undone := d.State == domain.DeletionDone, d.State == domain.DeletionUndone
	switch {
	case d.State == domain.DeletionPoisoned:
		return p.leaveToOperator(ctx, index, record)
	case record.Found() && !d.Over():
		if !Stalled(d, p.since) {
			return nil
		}
		return p.requeue(ctx, d.Message())
	}
	row, err := p.fence.ReadIncarnation(ctx, ref)
	switch {
	case errors.Is(err, domain.ErrNotFound) && !record.Found() && requestedRecently(index):
		return nil // the request may be under way, and would insert the record
	case errors.Is(err, domain.ErrNotFound):
		return p.removeOpen(ctx, index)
	case err != nil:
		return err
	case done && row.State == domain.ChannelDeleting:
		return p.fence.ReleaseName(ctx, ref)
	case done: // a delayed insert has brought the row back
		ungated, err := p.fence.Reclaim(ctx, row)
		if ungated {
			p.ungated.Add(1)
		}
		return err
	case row.State != domain.ChannelActive:
		message := MessageFor(row.Channel, row.Owner)
		if err := p.RecordDeletion(ctx, message); err != nil {
			return err
		}
		return p.requeue(ctx, message)
	case undone: // a request may die after it has replaced this record
		return p.leaveToOperator(ctx, index, record)
	case requestedRecently(index):
		return nil // the request may be under way, and would fail
	}
	return p.giveUp(ctx, index, row)
}

func requestedRecently(index driver.Entity) bool {
	return domain.Recent(index.Properties.Time(schema.PropRequestedOn), requestLifetime)
}

// giveUp undoes a request to delete a channel that has not written its record for so long: from then on it
// cannot set the row pending, and its message asks for nothing. It writes the record before it removes the
// index row. Otherwise a stalled request could insert a record that no pass would read.
func (p *pass) giveUp(ctx context.Context, index driver.Entity, row fence.Row) error {
	request := MessageFor(row.Channel, row.Owner)
	request.RequestedOn = index.Properties.Time(schema.PropRequestedOn)
	err := p.fence.SetActive(ctx, row)
	if errors.Is(err, optimistic.ErrAgain) {
		return nil // a request or a worker is at work on the deletion
	}
	if err == nil {
		err = p.ListDeletion(ctx, request)
	}
	if err != nil {
		return err
	}
	inserted, err := p.insertDeletion(ctx, request, domain.DeletionUndone)
	if err != nil || !inserted {
		return err // it was recorded meanwhile: the next pass goes by that
	}
	return p.removeOpen(ctx, index)
}

// requeue queues a deletion again if it is stalled.
func (p *pass) requeue(ctx context.Context, of domain.Message) error {
	requeued, err := p.RequeueDeletion(ctx, of, p.since)
	if requeued {
		p.requeued.Add(1)
	}
	return err
}

// removeTouched removes an index row after the pass has written the row that could open the deletion.
// touch is the result of that write. If it raced, a request or a worker is at work on the deletion,
// and the index row stays.
func (p *pass) removeTouched(ctx context.Context, index driver.Entity, touch error) error {
	switch {
	case optimistic.Raced(touch):
		return nil
	case touch != nil:
		return touch
	}
	return p.removeOpen(ctx, index)
}

// leaveToOperator removes the index row of a poisoned deletion, so that later passes do not read it
// again. Requeueing the deletion writes a new index row. It also removes that of an undone one, whose
// record a request may be about to replace.
func (p *pass) leaveToOperator(ctx context.Context, index, record driver.Entity) error {
	// A concurrent write of this version of the record fails now.
	//lab: Write the record, which gives it a new version.
	err := p.Deletions.deletions.Transact(ctx, record.Partition, driver.Merge(record.Row, driver.Match(record.ETag)))
	return p.removeTouched(ctx, index, err)
}
