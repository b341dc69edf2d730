package deletion

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// RecordReceived is RecordDeletion for a worker that has received the message, which may be before the
// web role has recorded it. It reports over, and writes nothing, if there is neither a record nor a channel
// or account to delete: Prune has removed the record, or another user has replaced a channel without a gate.
func (s Steps) RecordReceived(ctx context.Context, m domain.Message) (over bool, err error) {
	//lab: Read the record of the deletion.
	record, err := s.deletions.Find(ctx, schema.ChannelPartition(m.Channel), schema.DeletionRow(m.Incarnation))
	switch {
	case err != nil:
		return false, fmt.Errorf("recording the deletion of channel %s: %w", m.Channel, err)
	case record.Found() && Decode(record).UndoCount >= m.UndoCount:
		return false, nil
	case !record.Found():
		if gone, err := s.gone(ctx, m.Ref()); err != nil || gone {
			return gone, err
		}
	}
	return false, s.RecordDeletion(ctx, m)
}

// RecordDeletion inserts the Deletions row of a message if it is not there, or is that of an
// earlier request. The web role calls it after it has queued the message.
func (s Steps) RecordDeletion(ctx context.Context, m domain.Message) error {
	state := domain.DeletionQueued
	if !m.UndoableUntil.IsZero() {
		state = domain.DeletionPending
	}
	inserted, err := s.insertDeletion(ctx, m, state)
	if inserted || err != nil || m.UndoCount == 0 {
		return err
	}
	return s.pause.Change(ctx, s.deletions, schema.ChannelPartition(m.Channel), schema.DeletionRow(m.Incarnation), func(now driver.Entity) (driver.Properties, error) {
		if d := Decode(now); d.State == domain.DeletionDone || d.UndoCount >= m.UndoCount {
			return nil, nil
		}
		// A pass that has read the former record may take the deletion off the index (open.go).
		if err := s.RenewOpen(ctx, m.Ref(), m.Due()); err != nil {
			return nil, err
		}
		return encodeDeletion(newDeletion(m, state)), nil
	})
}

func newDeletion(m domain.Message, state domain.DeletionState) domain.Deletion {
	return domain.Deletion{
		Channel:     m.Ref(),
		Name:        m.Name,
		RequestedBy: m.RequestedBy,
		RequestedOn: m.RequestedOn,
		State:       state,
		Attempts:    m.Attempts,
		UpdatedOn:   domain.Now(),

		UndoCount: m.UndoCount, UndoableUntil: m.UndoableUntil, KeepPosts: m.KeepPosts, ByOperator: m.ByOperator,
	}
}

// insertDeletion inserts the Deletions row of a message in a state, and reports
// whether it did. It does nothing if the row is there.
func (s Steps) insertDeletion(ctx context.Context, m domain.Message, state domain.DeletionState) (inserted bool, err error) {
	//lab: Insert the record of the deletion.
	err = s.deletions.Transact(ctx, schema.ChannelPartition(m.Channel),
		driver.Insert(schema.DeletionRow(m.Incarnation), encodeDeletion(newDeletion(m, state))...))
	if err != nil && !errors.Is(err, domain.ErrExists) {
		return false, fmt.Errorf("recording the deletion of channel %s: %w", m.Channel, err)
	}
	return err == nil, nil
}

// UpdateRecord reads the Deletions row of a message, which asks for the deletion of a channel or of an
// account. It lets change modify the row, and writes it with
// the present time as UpdatedOn. If change returns false, nothing is written. A
// deletion that is done or undone is final: then change is not called, nor for the record of another
// request. The change is applied
// once, even if a reply is lost. Change may be called several times before that. A
// deletion without a row is domain.ErrNotFound.
func (s Steps) UpdateRecord(ctx context.Context, of domain.Message, change func(*domain.Deletion) bool) error {
	return s.updateRecord(ctx, of, func(d *domain.Deletion) (bool, error) { return change(d), nil })
}

// updateRecord is UpdateRecord with a change that may write another row first, and fail.
func (s Steps) updateRecord(ctx context.Context, of domain.Message, change func(*domain.Deletion) (bool, error)) error {
	partition, row := schema.ChannelPartition(of.Channel), schema.DeletionRow(of.Incarnation)
	err := s.pause.Change(ctx, s.deletions, partition, row, func(now driver.Entity) (driver.Properties, error) {
		if !now.Found() {
			return nil, domain.ErrNotFound
		}
		d := Decode(now)
		was := d.State
		if d.Over() || d.UndoCount != of.UndoCount {
			return nil, nil
		}
		if changed, err := change(&d); err != nil || !changed {
			return nil, err
		}
		if was == domain.DeletionPoisoned && d.State != was {
			if err := s.RenewOpen(ctx, d.Channel, d.Message().Due()); err != nil {
				return nil, err
			}
		}
		d.UpdatedOn = domain.Now()
		return encodeDeletion(d), nil
	})
	if err != nil {
		return fmt.Errorf("recording the deletion of channel %s: %w", of.Channel, err)
	}
	return nil
}
