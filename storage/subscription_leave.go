package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Unsubscribe ends a subscription. Again is no error. Somebody who begins to join
// meanwhile, in another window, comes after it: to go on against them would be to
// undo each other's steps for ever.
func (s *Store) Unsubscribe(ctx context.Context, ref domain.ChannelRef, user domain.UserName) error {
	left := false
	return s.contend(ctx, func() error {
		row, err := s.subscriptions.Get(ctx, userPartition(user), subscriptionRow(ref))
		state := row.Properties.String(propState)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			return nil // then there is no sub! row either
		case err != nil:
			return err
		case left && state == stateJoining:
			return nil
		case state != stateLeaving:
			err := s.subscriptions.Transact(ctx, row.Partition,
				driver.Merge(row.Row, driver.Match(row.ETag), driver.String(propState, stateLeaving)))
			if err == nil || raced(err) {
				return errTryAgain // with the ETag of what is there now
			}
			return err
		}
		if err := s.leaveChannel(ctx, ref, joinRow(user), subRow(user)); err != nil {
			return err
		}
		left = true
		err = s.subscriptions.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
}

// leaveChannel deletes those of a user's rows that are in the channel. It is
// errTryAgain if they changed under its hands.
func (s *Store) leaveChannel(ctx context.Context, ref domain.ChannelRef, rows ...string) error {
	half, err := s.channelHalf(ctx, ref, rows...)
	if err != nil {
		return err
	}
	return s.deleteHalf(ctx, ref, half)
}

// channelHalf is what deletes those of a user's rows that are in the channel, in the
// versions that are there now, so that a late copy undoes no subscription that
// begins later. The join! row must come first: seen after sub!, it could have
// become sub! in between.
func (s *Store) channelHalf(ctx context.Context, ref domain.ChannelRef, rows ...string) ([]driver.Operation, error) {
	var half []driver.Operation
	for _, key := range rows {
		row, err := s.blogs.Get(ctx, partitionOf(ref.Key), key)
		switch {
		case errors.Is(err, domain.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			half = append(half, driver.Delete(key, driver.Match(row.ETag)))
		}
	}
	return half, nil
}

// deleteHalf carries that out behind the gate. If the gate is gone, the channel's
// deletion takes the rows. It is errTryAgain if they changed since they were read.
func (s *Store) deleteHalf(ctx context.Context, ref domain.ChannelRef, half []driver.Operation) error {
	if len(half) == 0 {
		return nil
	}
	err := s.blogs.Transact(ctx, partitionOf(ref.Key), append([]driver.Operation{holdGate(ref)}, half...)...)
	switch {
	case gateMissing(err):
		return nil
	case raced(err):
		return errTryAgain
	}
	return err
}
