package storage

import (
	"context"
	"errors"

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

func (s *Store) hasSub(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error) {
	row, err := s.blogs.Get(ctx, partitionOf(ref.Key), subRow(user))
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return row.Properties.String(propIncarnation) == string(ref.Incarnation), err
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
