package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Deletions row, beside the channel's name, the state and the
// revisions.
const (
	propRequestedBy = "RequestedBy"
	propRequestedOn = "RequestedOn"
	propStep        = "Step"
	propRowsDeleted = "RowsDeleted"
	propAttempts    = "Attempts"
	propUpdatedOn   = "UpdatedOn"
	propFinishedOn  = "FinishedOn"
)

// AskDeletion accepts the deletion of a channel, for its owner, if the
// incarnation that lives now satisfies the precondition. When it returns the
// channel, no reader sees it any more, and the deletion will end whatever
// crashes. Asked again while it runs, it answers the same.
//
// The order is: the message, the Deletions row, the mark. Died after the
// message: the worker does the rest. The other way round, a channel marked and
// never queued would be stuck.
func (s *Store) AskDeletion(ctx context.Context, key domain.ChannelKey, by domain.UserName,
	expected domain.Precondition[domain.Incarnation],
) (domain.Channel, error) {
	row, err := s.readChannel(ctx, key)
	switch {
	case err != nil:
		return domain.Channel{}, err
	case !expected.Holds(row.Incarnation):
		// Before the question whose it is: the new life may be somebody else's.
		return domain.Channel{}, fmt.Errorf("incarnation of channel %s: %w", key, domain.ErrConflict)
	case row.Owner != by:
		return domain.Channel{}, fmt.Errorf("deleting channel %s: %w", key, domain.ErrForbidden)
	case row.State == domain.ChannelDeleting:
		return row.Channel, nil
	}
	message := channelMessage(row.Channel, by)
	if err := s.queue.Send(ctx, message.Encode()); err != nil {
		return domain.Channel{}, fmt.Errorf("queueing the deletion of channel %s: %w", key, err)
	}
	if err := s.OpenDeletion(ctx, message); err != nil {
		return domain.Channel{}, err
	}
	_, err = s.MarkDeleting(ctx, row.Ref())
	return row.Channel, err
}

func channelMessage(channel domain.Channel, by domain.UserName) domain.Message {
	return domain.Message{
		Kind:        domain.MessageChannel,
		Channel:     channel.Key(),
		Incarnation: channel.Incarnation,
		Name:        channel.Name,
		By:          by,
		AskedOn:     domain.Now(),
	}
}

// Deletion reads the progress of a deletion, for the user who asked for it.
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

// OpenDeletion writes the Deletions row of a message if it is not there: by the
// web that queued it, or by a worker that got the message first.
func (s *Store) OpenDeletion(ctx context.Context, m domain.Message) error {
	d := domain.Deletion{
		Channel:     m.Ref(),
		Name:        m.Name,
		RequestedBy: m.By,
		RequestedOn: m.AskedOn,
		State:       domain.DeletionQueued,
		UpdatedOn:   domain.Now(),
	}
	err := s.deletions.Transact(ctx, partitionOf(m.Channel), driver.Insert(deletionRow(m.Incarnation), encodeDeletion(d)...))
	if err == nil || errors.Is(err, domain.ErrExists) {
		return nil
	}
	return fmt.Errorf("recording the deletion of channel %s: %w", m.Channel, err)
}

// UpdateDeletion changes the Deletions row by a loop of read and conditional
// write, and dates it. A deletion that is done stays as it is: change is not
// called. Nor is anything written if change reports false. The change is applied
// once, also if a reply is lost; change may be called several times until then.
func (s *Store) UpdateDeletion(ctx context.Context, ref domain.ChannelRef, change func(*domain.Deletion) bool) error {
	mine := domain.NewRevision()
	err := s.contend(ctx, func() error {
		row, err := s.deletions.Get(ctx, partitionOf(ref.Key), deletionRow(ref.Incarnation))
		if err != nil {
			return err
		}
		d := decodeDeletion(row)
		if d.State == domain.DeletionDone || bears(row.Properties, mine) {
			return nil
		}
		if !change(&d) {
			return nil
		}
		d.UpdatedOn = domain.Now()
		changes := append(stamp(row.Properties, mine), encodeDeletion(d)...)
		err = s.deletions.Transact(ctx, partitionOf(ref.Key), driver.Merge(row.Row, driver.Match(row.ETag), changes...))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("recording the deletion of channel %s: %w", ref.Key, err)
	}
	return nil
}

// stalled tells whether a deletion that a worker should be at has shown no sign
// of life since the given time. A poisoned one waits for an operator.
func stalled(d domain.Deletion, since time.Time) bool {
	return (d.State == domain.DeletionQueued || d.State == domain.DeletionRunning) && d.UpdatedOn.Before(since)
}

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
	}
	if !d.FinishedOn.IsZero() {
		p = append(p, driver.Time(propFinishedOn, d.FinishedOn))
	}
	return p
}

func decodeDeletion(row driver.Entity) domain.Deletion {
	p := row.Properties
	return domain.Deletion{
		Channel: domain.ChannelRef{
			Key:         domain.ChannelKey(row.Partition),
			Incarnation: domain.Incarnation(row.Row),
		},
		Name:        domain.ChannelName(p.String(propName)),
		RequestedBy: domain.UserName(p.String(propRequestedBy)),
		RequestedOn: p.Time(propRequestedOn),
		State:       domain.DeletionState(p.String(propState)),
		Step:        domain.Step(p.String(propStep)),
		RowsDeleted: p.Int64(propRowsDeleted),
		Attempts:    int(p.Int64(propAttempts)),
		UpdatedOn:   p.Time(propUpdatedOn),
		FinishedOn:  p.Time(propFinishedOn),
	}
}
