package storage

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Deletions row, besides the channel's name, the incarnation, the
// state and the revisions.
const (
	propRequestedBy = "RequestedBy"
	propRequestedOn = "RequestedOn"
	propStep        = "Step"
	propRowsDeleted = "RowsDeleted"
	propAttempts    = "Attempts"
	propUpdatedOn   = "UpdatedOn"
	propFinishedOn  = "FinishedOn"
	// propWaiting tells whether the time in propWaitingSince counts: a merge cannot
	// take a property away.
	propWaiting      = "Waiting"
	propWaitingSince = "WaitingSince"
	propRetryOn      = "RetryOn"
	propLastDelivery = "LastDelivery"
	propTraceParent  = "TraceParent"
)

// Deletion reads the progress of a deletion. Only the user who asked for it may:
// another is domain.ErrForbidden. A deletion that nobody asked for is
// domain.ErrNotFound.
func (s *Store) Deletion(ctx context.Context, ref domain.ChannelRef, by domain.UserName) (domain.Deletion, error) {
	row, err := s.deletions.Get(ctx, partitionOf(ref.Key), deletionRow(ref.Incarnation))
	if err != nil {
		return domain.Deletion{}, fmt.Errorf("deletion of channel %s: %w", ref.Key, err)
	}
	d := decodeDeletion(row)
	if d.RequestedBy != by {
		return domain.Deletion{}, fmt.Errorf("deletion of channel %s: %w", ref.Key, domain.ErrForbidden)
	}
	return d, nil
}

// stalled tells whether a deletion that a worker should do has made no progress since a
// time. To wait on the queue is no stall, neither for the first worker nor for the next
// one after a failure or a crash. So the time must lie before the messages that no worker
// has received yet; it is the zero time, or before, if none was received. While a message is
// hidden after a failure, no progress is due. A poisoned deletion is not stalled: it waits for
// an operator.
//
// A time that no sound clock can have written yet is no progress. If it was progress all the
// same, the message has a copy, which does no harm.
func stalled(d domain.Deletion, since time.Time) bool {
	due := d.State == domain.DeletionQueued || d.State == domain.DeletionRunning
	latest := time.Now().Add(clockMargin)
	quiet := func(on time.Time) bool { return on.Before(since) || on.After(latest) }
	return due && since.After(time.Time{}) && quiet(d.UpdatedOn) && quiet(d.RetryOn)
}

// clockMargin is how far ahead a time may lie that a row tells: the clocks of a site differ,
// and a message that failed is hidden for a while.
const clockMargin = 5 * time.Minute

func encodeDeletion(d domain.Deletion) driver.Properties {
	p := driver.Properties{
		driver.String(propIncarnation, d.Channel.Incarnation),
		driver.String(propName, d.Name),
		driver.String(propRequestedBy, d.RequestedBy),
		driver.Time(propRequestedOn, d.RequestedOn),
		driver.String(propState, d.State),
		driver.String(propStep, d.Step),
		driver.Int64(propRowsDeleted, d.RowsDeleted),
		driver.Int64(propAttempts, int64(d.Attempts)),
		driver.Time(propUpdatedOn, d.UpdatedOn),
		driver.Int64(propLastDelivery, d.LastDelivery),
		driver.Bool(propWaiting, !d.WaitingSince.IsZero()),
	}
	if !d.WaitingSince.IsZero() {
		p = append(p, driver.Time(propWaitingSince, d.WaitingSince))
	}
	if !d.RetryOn.IsZero() {
		p = append(p, driver.Time(propRetryOn, d.RetryOn))
	}
	if !d.FinishedOn.IsZero() {
		p = append(p, driver.Time(propFinishedOn, d.FinishedOn))
	}
	if d.TraceParent != "" {
		p = append(p, driver.String(propTraceParent, d.TraceParent))
	}
	if len(d.Trace) > 0 {
		p = append(p, driver.String(propTrace, encodeTrace(d.Trace, d.RequestedOn)))
	}
	return p
}

func decodeDeletion(row driver.Entity) domain.Deletion {
	p := row.Properties
	i, id, revision := parseDeletionRow(row.Row)
	d := domain.Deletion{
		Channel:      domain.ChannelRef{Key: domain.ChannelKey(row.Partition), Incarnation: i},
		Blog:         id,
		Revision:     revision,
		Name:         domain.ChannelName(p.String(propName)),
		RequestedBy:  domain.UserName(p.String(propRequestedBy)),
		RequestedOn:  p.Time(propRequestedOn),
		State:        domain.DeletionState(p.String(propState)),
		Step:         domain.Step(p.String(propStep)),
		RowsDeleted:  p.Int64(propRowsDeleted),
		Attempts:     int(p.Int64(propAttempts)),
		UpdatedOn:    p.Time(propUpdatedOn),
		LastDelivery: p.Int64(propLastDelivery),
		RetryOn:      p.Time(propRetryOn),
		FinishedOn:   p.Time(propFinishedOn),
		TraceParent:  domain.TraceParent(p.String(propTraceParent)),
	}
	d.Trace = decodeTrace(p.String(propTrace), d.RequestedOn)
	if p.Bool(propWaiting) {
		d.WaitingSince = p.Time(propWaitingSince)
	}
	return d
}
