package storage

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// tidySubscription tells whether a subscription stands, and leaves the row as
// that demands. A row that has changed since it was read is left alone: whoever
// changed it is at work.
func (s *Store) tidySubscription(ctx context.Context, row subscription, user domain.UserName) (stands bool, err error) {
	channel, err := s.readIncarnation(ctx, row.Channel)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, s.removeSubscription(ctx, row)
	case err != nil || channel.State != domain.ChannelActive:
		return false, err
	}
	switch there, err := s.hasSub(ctx, row.Channel, user); {
	case err != nil:
		return false, err
	case !there:
		return false, s.removeUnjoined(ctx, row, user)
	case row.state == stateLeaving:
		return false, s.finishLeaving(ctx, row, user)
	case row.state == stateJoining:
		err := s.subscriptions.Transact(ctx, row.row.Partition,
			driver.Merge(row.row.Row, driver.Match(row.row.ETag), driver.String(propState, stateJoined)))
		if raced(err) {
			err = nil
		}
		return true, err
	}
	return true, nil
}

// removeUnjoined deletes the row of somebody who was not seen to subscribe. They
// may be about to: so first their join! row goes, and with it their way to sub!.
// Whoever begins to join after that writes the user's row before the sub! row, and
// so keeps it.
func (s *Store) removeUnjoined(ctx context.Context, row subscription, user domain.UserName) error {
	switch err := s.leaveChannel(ctx, row.Channel, joinRow(user)); {
	case errors.Is(err, errTryAgain):
		return nil // they are at work
	case err != nil:
		return err
	}
	there, err := s.hasSub(ctx, row.Channel, user)
	if err != nil || there {
		return err
	}
	return s.removeSubscription(ctx, row)
}

// finishLeaving goes on where somebody died who was leaving. Nobody has asked for
// that now, so that it must not end a subscription that began since. Therefore the
// channel's rows are read first, and the user's again after them: if that is still
// the version which says leaving, they are what was being left, for whoever joins
// writes the user's row before the sub! row.
func (s *Store) finishLeaving(ctx context.Context, row subscription, user domain.UserName) error {
	half, err := s.channelHalf(ctx, row.Channel, joinRow(user), subRow(user))
	if err != nil {
		return err
	}
	if same, err := unchanged(ctx, s.subscriptions, row.row); err != nil || !same {
		return err
	}
	switch err := s.deleteHalf(ctx, row.Channel, half); {
	case errors.Is(err, errTryAgain):
		return nil // somebody else is at it
	case err != nil:
		return err
	}
	return s.removeSubscription(ctx, row)
}

// removeSubscription deletes garbage in the version that was read.
func (s *Store) removeSubscription(ctx context.Context, row subscription) error {
	err := s.subscriptions.Transact(ctx, row.row.Partition, driver.Delete(row.row.Row, driver.Match(row.row.ETag)))
	if raced(err) {
		return nil
	}
	return err
}
