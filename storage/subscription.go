package storage

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A subscription is two rows in two partitions of two tables: the user's, by
// which a feed is read, and sub! in the channel's, by which the channel's
// deletion finds it. No transaction spans them. The sub! row is the truth, since
// it lives and dies behind the gate; the user's row says how far it has come, so
// that what a crash left half done is recognised without reading the other.
//
//   - joining: written before the sub! row. Died here: nobody subscribes.
//   - joined: written after it.
//   - leaving: written before the sub! row is deleted. Died here: whoever reads
//     it finishes.
//
// A row that is not joined, or has no sub!, or is of a dead incarnation is
// garbage: ignored, and removed when it is read.
const (
	propRole         = "Role"
	propSubscribedOn = "SubscribedOn"

	stateJoining = "joining"
	stateJoined  = "joined"
	stateLeaving = "leaving"
)

// subscriptionFlight bounds how many channels are read at once for one user.
const subscriptionFlight = 16

// subscription is a Subscriptions row as it was read.
type subscription struct {
	domain.Subscription
	state string
	row   driver.Entity
}

// roomForSubscription refuses one too many. Garbage does not count.
func (s *Store) roomForSubscription(ctx context.Context, user domain.UserName) error {
	rows, err := s.subscriptions.First(ctx, domain.MaxSubscriptions, driver.Range{
		Partition: userPartition(user), Paging: driver.Paging{KeysOnly: true}})
	if err != nil || len(rows) < domain.MaxSubscriptions {
		return err
	}
	alive, err := s.Subscriptions(ctx, user)
	if err == nil && len(alive) >= domain.MaxSubscriptions {
		err = domain.Invalid("subscriptions", "are %d, and cannot be more", domain.MaxSubscriptions)
	}
	return err
}

// deleteSubscription deletes the user's row of a channel that is being swept.
func (s *Store) deleteSubscription(ctx context.Context, ref domain.ChannelRef, user domain.UserName) error {
	err := s.subscriptions.Transact(ctx, userPartition(user), driver.Delete(subscriptionRow(ref), driver.Exists))
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

// Subscribed tells whether a user's row says so. It is one read.
func (s *Store) Subscribed(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error) {
	row, err := s.subscriptions.Get(ctx, userPartition(user), subscriptionRow(ref))
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return row.Properties.String(propState) == stateJoined, err
}

// maxCounted is how far subscribers are counted for a page.
const maxCounted = 1000

// Subscribers counts the subscribers of a channel, up to 1,000; more reports
// that there are more.
func (s *Store) Subscribers(ctx context.Context, ref domain.ChannelRef) (n int, more bool, err error) {
	rows, err := s.blogs.First(ctx, maxCounted+1, driver.Range{
		Partition: partitionOf(ref.Key), From: prefixSub, To: prefixEnd(prefixSub), Paging: driver.Paging{KeysOnly: true}})
	return min(len(rows), maxCounted), len(rows) > maxCounted, err
}

// Subscriptions lists what a user subscribes to, by channel key, and removes or
// completes what was left half done.
func (s *Store) Subscriptions(ctx context.Context, user domain.UserName) ([]domain.Subscription, error) {
	rows, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	return s.standing(ctx, rows, user)
}

// standing tidies rows, and returns the subscriptions that stand.
func (s *Store) standing(ctx context.Context, rows []subscription, user domain.UserName) ([]domain.Subscription, error) {
	alive := make([]bool, len(rows))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(subscriptionFlight)
	for i, row := range rows {
		group.Go(func() (err error) {
			alive[i], err = s.tidySubscription(groupCtx, row, user)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var list []domain.Subscription
	for i, row := range rows {
		if alive[i] {
			list = append(list, row.Subscription)
		}
	}
	return list, nil
}

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

func (s *Store) hasSub(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error) {
	row, err := s.blogs.Get(ctx, partitionOf(ref.Key), subRow(user))
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return row.Properties.String(propIncarnation) == string(ref.Incarnation), err
}

// readSubscriptions reads a user's rows, garbage and all. Garbage can make them
// more than the limit.
func (s *Store) readSubscriptions(ctx context.Context, user domain.UserName) ([]subscription, error) {
	return s.firstSubscriptions(ctx, user, "", 2*domain.MaxSubscriptions)
}

// firstSubscriptions reads up to n rows, from the given one on.
func (s *Store) firstSubscriptions(ctx context.Context, user domain.UserName, from string, n int) ([]subscription, error) {
	rows, err := s.subscriptions.First(ctx, n, driver.Range{Partition: userPartition(user), From: from})
	if err != nil {
		return nil, fmt.Errorf("subscriptions of %s: %w", user, err)
	}
	list := make([]subscription, len(rows))
	for i, row := range rows {
		list[i] = decodeSubscription(row)
	}
	return list, nil
}

func decodeSubscription(row driver.Entity) subscription {
	return subscription{
		Subscription: domain.Subscription{
			Channel:      parseSubscriptionRow(row.Row),
			Name:         domain.ChannelName(row.Properties.String(propName)),
			Role:         domain.Role(row.Properties.String(propRole)),
			SubscribedOn: row.Properties.Time(propSubscribedOn),
		},
		state: row.Properties.String(propState),
		row:   row,
	}
}
