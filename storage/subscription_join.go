package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Subscribe subscribes a user to a channel. Again is no error. A channel that is
// gone or being deleted is domain.ErrNotFound or ErrGone; more than
// domain.MaxSubscriptions are an InvalidError on the field "subscriptions".
func (s *Store) Subscribe(ctx context.Context, channel domain.Channel, user domain.UserName) error {
	switch subscribed, err := s.Subscribed(ctx, channel.Ref(), user); {
	case err != nil:
		return err
	case subscribed:
		if there, err := s.hasSub(ctx, channel.Ref(), user); err != nil || there {
			return err
		}
	default:
		if err := s.roomForSubscription(ctx, user); err != nil {
			return err
		}
	}
	return s.join(ctx, channel, user)
}

// join makes both rows. What must not happen is that the sub! row lands, however
// late, where somebody has removed the user's row, or is about to: nobody would
// know of it. So the sub! row takes the place of a join! row, in the version that
// was read before the user's row was written.
//
//   - Who removes the user's row read it first, and removes the join! row before
//     it. If that was the version read here, the swap fails.
//   - If it was an earlier one, the user's row has changed since it was read, and
//     its removal fails.
//
// Died before the swap: a join! row remains, which counts for nothing. The same
// user's next attempt takes it over, leaving removes it, and so does a repair.
// Died after it: the user's row reads joining, and is completed when it is read.
func (s *Store) join(ctx context.Context, channel domain.Channel, user domain.UserName) error {
	return s.contend(ctx, func() error {
		ticket, err := s.beginJoin(ctx, channel.Ref(), user)
		if err != nil {
			return err
		}
		if err := s.putSubscription(ctx, channel, user, stateJoining); err != nil {
			return err
		}
		if err := s.swapJoin(ctx, channel.Ref(), user, ticket); err != nil {
			return err
		}
		return s.putSubscription(ctx, channel, user, stateJoined)
	})
}

// beginJoin makes sure of a join! row, and reads its version. Two who join for the
// same user share it; then one of them makes the sub! row, and the other finds it.
func (s *Store) beginJoin(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (driver.ETag, error) {
	err := s.blogs.Transact(ctx, partitionOf(ref.Key),
		holdGate(ref),
		driver.Insert(joinRow(user), driver.String(propIncarnation, ref.Incarnation), driver.Time(propSubscribedOn, domain.Now())))
	switch {
	case gateMissing(err):
		return "", s.whyGateGone(ctx, ref)
	case err != nil && !errors.Is(err, domain.ErrExists): // there already, or the echo of this insert
		return "", fmt.Errorf("subscribing to channel %s: %w", ref.Key, err)
	}
	row, err := s.blogs.Get(ctx, partitionOf(ref.Key), joinRow(user))
	if errors.Is(err, domain.ErrNotFound) {
		return "", errTryAgain
	}
	return row.ETag, err
}

// swapJoin puts the sub! row in the place of the join! row. A sub! row that is
// there already, with the user's row beside it, is as good.
func (s *Store) swapJoin(ctx context.Context, ref domain.ChannelRef, user domain.UserName, ticket driver.ETag) error {
	err := s.blogs.Transact(ctx, partitionOf(ref.Key),
		holdGate(ref),
		driver.Delete(joinRow(user), driver.Match(ticket)),
		driver.Insert(subRow(user), driver.String(propIncarnation, ref.Incarnation), driver.Time(propSubscribedOn, domain.Now())))
	switch {
	case err == nil:
		return nil
	case gateMissing(err):
		return s.whyGateGone(ctx, ref)
	case errors.Is(err, domain.ErrExists):
		return s.leaveChannel(ctx, ref, joinRow(user))
	case !raced(err):
		return fmt.Errorf("subscribing to channel %s: %w", ref.Key, err)
	}
	// The echo of this swap, or another window of the user's made it; or somebody
	// took the join! row away.
	there, err := s.hasSub(ctx, ref, user)
	if err == nil && !there {
		return errTryAgain
	}
	return err
}

func (s *Store) putSubscription(ctx context.Context, channel domain.Channel, user domain.UserName, state string) error {
	role := domain.RoleReader
	if channel.Owner == user {
		role = domain.RoleOwner
	}
	return s.subscriptions.Transact(ctx, userPartition(user), driver.Replace(subscriptionRow(channel.Ref()), driver.Upsert,
		driver.String(propName, channel.Name),
		driver.String(propRole, role),
		driver.String(propState, state),
		driver.Time(propSubscribedOn, domain.Now())))
}
