package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

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
