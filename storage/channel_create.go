package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// CreateChannel makes a new channel. A name that is in use is domain.ErrExists,
// and domain.ErrStillDeleting while its last life is being removed. The channel's
// incarnation must be new: whoever calls again mints another.
//
// The order is: the seed of the gate, the open gate in its place, the row, a look
// at the row, the gate again, in one transaction with the start of the owner's
// subscription. Died before the row: a seed or a gate remains that is of no use to
// anyone. Died after it: the channel is there and whole, though its owner may have
// to subscribe. Nobody knows the incarnation before the row is there, so that
// nobody can have shut the gate earlier.
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
	switch ungated, err := s.reclaimChannel(ctx, row); {
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
	reservation, err := s.reserveGate(ctx, ref)
	if err != nil {
		return err
	}
	if err := s.openGate(ctx, ref, reservation); err != nil {
		return err
	}
	insertErr := s.channels.Transact(ctx, partitionOf(ref.Key), driver.Insert(singleRow, encodeChannel(channel)...))
	if insertErr != nil && !errors.Is(insertErr, domain.ErrExists) && !errors.Is(insertErr, domain.ErrUnavailable) {
		return insertErr
	}
	return s.resolveInsert(ctx, ref, insertErr == nil)
}

// resolveInsert finds out what became of the insert of the channel's row. Whatever
// it was answered, the row says whose the name is: "exists" can be the echo of our
// own insert, and a failure can have taken effect.
//
// If it was not acknowledged, it may land at any time, also between a look at the
// row and the removal of the gate; and then somebody may have posted behind that
// gate. So the gate is read before the row, and removed in the version that was
// read: a post merges it. A row that lands after that is nobody's.
func (s *Store) resolveInsert(ctx context.Context, ref domain.ChannelRef, acknowledged bool) error {
	var gate driver.Entity
	if !acknowledged {
		var err error
		gate, err = s.blogs.Get(ctx, partitionOf(ref.Key), openGateRow(ref.Incarnation))
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return err
		}
	}
	row, err := s.readChannel(ctx, ref.Key)
	absent := errors.Is(err, domain.ErrNotFound)
	switch {
	case absent:
	case err != nil:
		return err
	case row.Incarnation == ref.Incarnation:
		return s.confirmCreated(ctx, row)
	}
	// An insert that was acknowledged is gone by way of a deletion, gate and all.
	if gate.ETag != "" {
		switch err := s.withdrawGate(ctx, gate); {
		case errors.Is(err, errTryAgain):
			return s.resolveInsert(ctx, ref, acknowledged)
		case err != nil:
			return err
		}
	}
	if absent {
		return errTryAgain
	}
	return s.nameTaken(ctx, row)
}

// confirmCreated checks that the row stands behind its gate, by subscribing its
// owner.
func (s *Store) confirmCreated(ctx context.Context, row channelRow) error {
	err := s.joinOwner(ctx, row.Channel)
	if !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	removed, err := s.deleteUngated(ctx, row)
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
		return s.blogs.Transact(ctx, partitionOf(channel.Key()), holdGate(channel.Ref()))
	case err != nil:
		return err
	}
	return s.join(ctx, channel, channel.Owner)
}
