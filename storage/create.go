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
// The order is: the open gate, the row, a look at the row, the gate again, in one
// transaction with the owner's subscription. Died before the row: a gate remains
// that is of no use to anyone. Died after it: the channel is there and whole,
// though its owner may have to subscribe. Nobody knows the incarnation before the row is
// there, so that nobody can have shut the gate earlier.
func (s *Store) CreateChannel(ctx context.Context, channel domain.Channel) (domain.Channel, error) {
	err := s.contend(ctx, func() error {
		row, err := s.readChannel(ctx, channel.Key())
		switch {
		case err == nil:
			return s.nameTaken(ctx, row)
		case !errors.Is(err, domain.ErrNotFound):
			return err
		}
		err = s.tryCreate(ctx, channel)
		if errors.Is(err, errTryAgain) {
			// What was inserted may still land later. Whoever reads the row absent
			// must not use its incarnation again: its gate may be gone by then.
			channel.Incarnation = domain.NewIncarnation()
		}
		return err
	})
	return channel, err
}

// nameTaken says what the row means to whoever wants its name. A row without
// gates is nobody's, not even if it is a late request of the very caller's: it
// is taken back, and the answer is errTryAgain.
func (s *Store) nameTaken(ctx context.Context, row channelRow) error {
	if row.State == domain.ChannelDeleting {
		return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrStillDeleting)
	}
	switch ungated, err := s.takeBackUngated(ctx, row); {
	case err != nil:
		return err
	case ungated:
		return errTryAgain
	}
	return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrExists)
}

// tryCreate makes one attempt with one incarnation. It is errTryAgain if this
// incarnation can no longer become the channel.
func (s *Store) tryCreate(ctx context.Context, channel domain.Channel) error {
	ref := channel.Ref()
	if err := s.insertGate(ctx, ref); err != nil {
		return err
	}
	insertErr := s.channels.Transact(ctx, partitionOf(ref.Key), Insert(only, encodeChannel(channel)...))
	if insertErr != nil && !errors.Is(insertErr, domain.ErrExists) && !errors.Is(insertErr, domain.ErrUnavailable) {
		return insertErr
	}
	// Whatever it answered, the row says whose the name is: "exists" can be the
	// echo of our own insert, and a failure can have taken effect.
	row, err := s.readChannel(ctx, ref.Key)
	absent := errors.Is(err, domain.ErrNotFound)
	switch {
	case absent:
	case err != nil:
		return err
	case row.Incarnation == ref.Incarnation:
		return s.confirmCreated(ctx, row)
	}
	if err := s.deleteOpenGate(ctx, ref); err != nil {
		return err
	}
	if absent {
		return errTryAgain
	}
	return s.nameTaken(ctx, row)
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

// confirmCreated checks that the row stands behind its gate, by subscribing its
// owner.
func (s *Store) confirmCreated(ctx context.Context, row channelRow) error {
	err := s.joinOwner(ctx, row.Channel)
	if !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	removed, err := s.removeUngated(ctx, row)
	switch {
	case err != nil:
		return err
	case removed:
		return errTryAgain
	}
	return fmt.Errorf("channel %s: %w", row.Key(), domain.ErrStillDeleting)
}

// joinOwner merges the gate even if the owner has no room for a subscription,
// which must not keep them from creating channels.
func (s *Store) joinOwner(ctx context.Context, channel domain.Channel) error {
	var full *domain.InvalidError
	err := s.roomForSubscription(ctx, channel.Owner)
	switch {
	case errors.As(err, &full):
		return s.blogs.Transact(ctx, partitionOf(channel.Key()), Merge(openGate(channel.Incarnation), Exists))
	case err != nil:
		return err
	}
	return s.join(ctx, channel, channel.Owner)
}

// takeBackUngated deletes an active row whose gates are both gone: an insert
// that was re-sent and landed after its channel had been deleted whole, or
// after its creator had given up. It reports whether the row is such.
func (s *Store) takeBackUngated(ctx context.Context, row channelRow) (ungated bool, err error) {
	_, err = s.blogs.Get(ctx, partitionOf(row.Key()), openGate(row.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	return s.removeUngated(ctx, row)
}

// removeUngated deletes a row that was seen to lack its open gate, in the
// version that was read, unless its shut gate shows that a deletion is under way.
func (s *Store) removeUngated(ctx context.Context, row channelRow) (ungated bool, err error) {
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
