package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
)

// CreateChannel makes a new channel. A name that is in use is domain.ErrExists,
// and domain.ErrStillDeleting while its last life is being removed.
//
// The order is: the open gate, the row, a look at the row, the gate again. Died
// before the row: a gate remains that is of no use to anyone. Died after it: the
// channel is there and whole. Nobody knows the incarnation before the row is
// there, so that nobody can have shut the gate earlier.
func (s *Store) CreateChannel(ctx context.Context, channel domain.Channel) (domain.Channel, error) {
	err := contend(ctx, func() error {
		if err := s.nameIsFree(ctx, channel.Key()); err != nil {
			return err
		}
		created, err := s.tryCreate(ctx, channel)
		if err == nil && !created {
			// What was inserted may still land later. Whoever reads the row absent
			// must not use its incarnation again: its gate may be gone by then.
			channel.Incarnation = domain.NewIncarnation()
			return errTryAgain
		}
		return err
	})
	return channel, err
}

func (s *Store) nameIsFree(ctx context.Context, key domain.ChannelKey) error {
	row, err := s.readChannel(ctx, key)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil
	case err != nil:
		return err
	default:
		return nameTaken(row)
	}
}

func nameTaken(row channelRow) error {
	if row.State == domain.ChannelDeleting {
		return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrStillDeleting)
	}
	return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrExists)
}

// tryCreate makes one attempt with one incarnation. It reports false, and no
// error, if this incarnation can no longer become the channel.
func (s *Store) tryCreate(ctx context.Context, channel domain.Channel) (bool, error) {
	ref := channel.Ref()
	if err := s.insertGate(ctx, ref); err != nil {
		return false, err
	}
	insertErr := s.channels.Transact(ctx, partitionOf(ref.Key), Insert(only, encodeChannel(channel)...))
	if insertErr != nil && !errors.Is(insertErr, domain.ErrExists) && !errors.Is(insertErr, domain.ErrUnavailable) {
		return false, insertErr
	}
	// Whatever it answered, the row says whose the name is: "exists" can be the
	// echo of our own insert, and a failure can have taken effect.
	row, err := s.readChannel(ctx, ref.Key)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, s.deleteOpenGate(ctx, ref)
	case err != nil:
		return false, err
	case row.Incarnation != ref.Incarnation:
		if err := s.deleteOpenGate(ctx, ref); err != nil {
			return false, err
		}
		return false, nameTaken(row)
	}
	return s.confirmCreated(ctx, row)
}

// insertGate puts up the open gate. It is the only insert of an open gate, and
// is called once for each incarnation.
func (s *Store) insertGate(ctx context.Context, ref domain.ChannelRef) error {
	err := s.blogs.Transact(ctx, partitionOf(ref.Key),
		Insert(openGate(ref.Incarnation), String(propIncarnation, ref.Incarnation)))
	if errors.Is(err, domain.ErrExists) {
		return nil // the echo of this very insert: the incarnation is new
	}
	return err
}

func (s *Store) deleteOpenGate(ctx context.Context, ref domain.ChannelRef) error {
	err := s.blogs.Transact(ctx, partitionOf(ref.Key), Delete(openGate(ref.Incarnation), Exists))
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// confirmCreated checks that the row stands behind a gate. A row whose gates
// are both gone is an insert that was re-sent and landed after its channel had
// been deleted whole: it is taken back.
func (s *Store) confirmCreated(ctx context.Context, row channelRow) (bool, error) {
	ref := row.Ref()
	err := s.blogs.Transact(ctx, partitionOf(ref.Key), Merge(openGate(ref.Incarnation), Exists))
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	removed, err := s.removeUngated(ctx, row)
	if err == nil && !removed {
		err = fmt.Errorf("channel %s: %w", ref.Key, domain.ErrStillDeleting)
	}
	return false, err
}

// removeUngated deletes a row that was seen to lack its open gate, in the
// version that was read, unless its shut gate shows that a deletion is under way.
func (s *Store) removeUngated(ctx context.Context, row channelRow) (removed bool, err error) {
	ref := row.Ref()
	_, err = s.blogs.Get(ctx, partitionOf(ref.Key), shutGate(ref.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	err = s.channels.Transact(ctx, partitionOf(ref.Key), Delete(only, Match(row.etag)))
	if raced(err) {
		err = nil // gone already, or marked by a deletion, which removes it
	}
	return true, err
}
