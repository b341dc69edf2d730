package deletion

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Get returns the record of a deletion, for the account that asked for it, or whose channel it is if an
// operator did, and for operators. Any other account, even a later one of the same name, gets
// domain.ErrForbidden. If there is no such deletion, it returns domain.ErrNotFound.
func (s *Deletions) Get(ctx context.Context, ref domain.ChannelRef, by domain.Actor) (d domain.Deletion, err error) {
	var made time.Time
	err = s.fence.Concurrently(ctx,
		func(ctx context.Context) (err error) { d, err = s.record(ctx, ref); return err },
		func(ctx context.Context) (err error) { made, err = s.fence.AccountSince(ctx, by.User); return err })
	if err == nil && !by.May(domain.OperateSite, domain.Object{}) && !askedBy(d, by.User, made) {
		err = domain.ErrForbidden
	}
	if err != nil {
		return domain.Deletion{}, fmt.Errorf("deletion of channel %s: %w", ref.Key, err)
	}
	return d, nil
}

func (s *Deletions) record(ctx context.Context, ref domain.ChannelRef) (domain.Deletion, error) {
	row, err := s.deletions.Get(ctx, schema.ChannelPartition(ref.Key), schema.DeletionRow(ref.Incarnation))
	return Decode(row), err
}

// askedBy reports whether the account of that name that was made at that time asked for the deletion.
func askedBy(d domain.Deletion, by domain.UserName, made time.Time) bool {
	return d.RequestedBy == by && !domain.OfFormerAccount(d.RequestedOn, made)
}

// Stalled reports whether a pending, queued or running deletion has made no progress since the given
// time. A deletion that only waits on the queue is not stalled. So since must be earlier than the
// time at which the oldest undelivered message was queued; for the zero time Stalled returns false.
// A deletion is not stalled either while its message is invisible after a failure, or while it can
// still be undone. A poisoned deletion is never stalled: it waits for an operator.
//
// A time that is later than now by more than the ClockMargin does not count as progress. If it was
// progress, a second message is sent, which does no harm.
func Stalled(d domain.Deletion, since time.Time) bool {
	due := d.State == domain.DeletionPending || d.State == domain.DeletionQueued || d.State == domain.DeletionRunning
	latest := time.Now().Add(domain.ClockMargin)
	quiet := func(on time.Time) bool { return on.Before(since) || on.After(latest) }
	final := d.UndoableUntil.IsZero() || d.Message().Due().Before(since)
	return due && since.After(time.Time{}) && quiet(d.UpdatedOn) && quiet(d.RetryOn) && final
}

func encodeDeletion(d domain.Deletion) driver.Properties {
	p := driver.Properties{
		driver.String(schema.PropIncarnation, d.Channel.Incarnation),
		driver.String(schema.PropName, d.Name),
		driver.String(schema.PropRequestedBy, d.RequestedBy),
		driver.Time(schema.PropRequestedOn, d.RequestedOn),
		driver.String(schema.PropState, d.State),
		driver.String(schema.PropStep, d.Step),
		driver.Int64(schema.PropRowsDeleted, d.RowsDeleted),
		driver.Int64(schema.PropAttempts, int64(d.Attempts)),
		driver.Time(schema.PropUpdatedOn, d.UpdatedOn),
		driver.Int64(schema.PropLastDelivery, d.LastDelivery),
		driver.Bool(schema.PropWaiting, !d.WaitingSince.IsZero()),
	}
	optional := func(has bool, property driver.Property) {
		if has {
			p = append(p, property)
		}
	}
	optional(!d.WaitingSince.IsZero(), driver.Time(schema.PropWaitingSince, d.WaitingSince))
	optional(!d.RetryOn.IsZero(), driver.Time(schema.PropRetryOn, d.RetryOn))
	optional(!d.FinishedOn.IsZero(), driver.Time(schema.PropFinishedOn, d.FinishedOn))
	optional(!d.UndoableUntil.IsZero(), driver.Time(schema.PropUndoableUntil, d.UndoableUntil))
	optional(d.ByOperator != "", driver.String(schema.PropByOperator, d.ByOperator))
	optional(d.KeepPosts, driver.Bool(schema.PropKeepPosts, true))
	optional(d.UndoCount > 0, driver.Int64(schema.PropUndoCount, d.UndoCount))
	steps, err := json.Marshal(d.StepLog)
	if err != nil {
		panic(fmt.Sprintf("encoding a log: %v", err)) // strings, numbers and times of this age always marshal
	}
	optional(len(d.StepLog) > 0, driver.String(schema.PropSteps, string(steps)))
	return p
}

func Decode(row driver.Entity) domain.Deletion {
	p := row.Properties
	d := domain.Deletion{
		Channel:      domain.ChannelRef{Key: domain.ChannelKey(row.Partition), Incarnation: domain.Incarnation(row.Row)},
		Name:         domain.ChannelName(p.String(schema.PropName)),
		RequestedBy:  domain.UserName(p.String(schema.PropRequestedBy)),
		RequestedOn:  p.Time(schema.PropRequestedOn),
		State:        domain.DeletionState(p.String(schema.PropState)),
		Step:         domain.Step(p.String(schema.PropStep)),
		RowsDeleted:  p.Int64(schema.PropRowsDeleted),
		Attempts:     int(p.Int64(schema.PropAttempts)),
		UpdatedOn:    p.Time(schema.PropUpdatedOn),
		LastDelivery: p.Int64(schema.PropLastDelivery),
		RetryOn:      p.Time(schema.PropRetryOn),
		FinishedOn:   p.Time(schema.PropFinishedOn),

		UndoCount: p.Int64(schema.PropUndoCount), UndoableUntil: p.Time(schema.PropUndoableUntil), KeepPosts: p.Bool(schema.PropKeepPosts),
		ByOperator: domain.UserName(p.String(schema.PropByOperator)),
	}
	if json.Unmarshal([]byte(p.String(schema.PropSteps)), &d.StepLog) != nil {
		d.StepLog = nil // no operation depends on it
	}
	if p.Bool(schema.PropWaiting) {
		d.WaitingSince = p.Time(schema.PropWaitingSince)
	}
	return d
}
