package reader

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Create subscribes a user to a channel. To subscribe again is no error.
//
//   - The channel is not there, or is being deleted: domain.ErrNotFound or ErrGone.
//   - Another incarnation has the name now: a *domain.ReplacedError.
//   - The user has domain.MaxSubscriptions: an InvalidError on the field
//     "subscriptions".
func (s *Subscriptions) Create(ctx context.Context, channel domain.Channel, user domain.UserName) error {
	switch subscribed, err := s.Has(ctx, channel.Ref(), user); {
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

// join writes both rows. A delayed insert of the sub! row must fail once the user's row
// was removed. Otherwise the user would be a subscriber, and none of their pages would show it.
// So the sub! row replaces a join! row, in the version that was read before the user's row
// was written. A request that removes the user's row has read it first, and removes the
// join! row before it. Then one of two things holds:
//
//   - It removed the join! row in the version read here. Then the swap fails.
//   - It removed an earlier join! row. Then the user's row has changed since it was read,
//     and the request cannot remove it.
//
// If the process dies before the swap, it leaves a join! row, which has no effect. The
// user's next attempt uses it, and a repair by the checker removes it. If the user's row was
// written too, the read repair removes both, and so does unsubscribing. If the process dies after the swap,
// the user's row is joining, and the read repair completes it.
func (s *Subscriptions) join(ctx context.Context, channel domain.Channel, user domain.UserName) error {
	return s.pause.Retry(ctx, func() error {
		ticket, err := s.beginJoin(ctx, channel.Ref(), user)
		if err != nil {
			return err
		}
		//lab: Write into the user's own row that the user is about to join.
		if err := s.putSubscription(ctx, channel, user, schema.SubscriptionJoining); err != nil {
			return err
		}
		if user != channel.Owner { // the deletion of an owner's account deletes the channel
			if err := s.fence.RequireActive(ctx, user); err != nil {
				return err
			}
		}
		if err := s.swapJoin(ctx, channel.Ref(), user, ticket); err != nil {
			return err
		}
		//lab: Write into the user's own row that the user has joined.
		return s.putSubscription(ctx, channel, user, schema.SubscriptionJoined)
	})
}

// beginJoin inserts a join! row, if there is none, and returns its version. Two
// requests of one user share the row. One of them puts the sub! row in its place,
// and the other finds that.
func (s *Subscriptions) beginJoin(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (driver.ETag, error) {
	//lab: Announce in the channel that the user is about to join.
	err := s.fence.TransactIfOpen(ctx, ref,
		driver.Insert(schema.JoinRow(user), driver.String(schema.PropIncarnation, ref.Incarnation), driver.Time(schema.PropSubscribedOn, domain.Now())))
	if err != nil && !errors.Is(err, domain.ErrExists) { // it was there, or a self-conflict
		return "", fmt.Errorf("subscribing to channel %s: %w", ref.Key, err)
	}
	//lab: Read the version of the join row.
	row, err := s.blogs.Find(ctx, schema.ChannelPartition(ref.Key), schema.JoinRow(user))
	if err == nil && !row.Found() {
		err = optimistic.ErrAgain
	}
	return row.ETag, err
}

// swapJoin puts the sub! row in the place of the join! row. A sub! row that is there already, of a subscription
// that is half left, gets a new version, so that a reader who is about to finish that leaving fails (finishLeaving).
func (s *Subscriptions) swapJoin(ctx context.Context, ref domain.ChannelRef, user domain.UserName, ticket driver.ETag) error {
	//lab: Write the subscriber's row into the channel.
	err := s.fence.TransactIfOpen(ctx, ref,
		driver.Delete(schema.JoinRow(user), driver.Match(ticket)),
		driver.Replace(schema.SubRow(user), driver.Upsert, driver.String(schema.PropIncarnation, ref.Incarnation), driver.Time(schema.PropSubscribedOn, domain.Now())))
	switch {
	case err == nil:
		return nil
	case !optimistic.Raced(err):
		return fmt.Errorf("subscribing to channel %s: %w", ref.Key, err)
	}
	// Either this is a self-conflict of the swap, or another request of the user did it, or
	// another request removed the join! row. The sub! row tells.
	there, err := s.hasSub(ctx, ref, user)
	if err == nil && !there {
		return optimistic.ErrAgain
	}
	return err
}

// putSubscription writes the user's row in this state, whatever is there.
func (s *Subscriptions) putSubscription(ctx context.Context, channel domain.Channel, user domain.UserName, state string) error {
	role := domain.RoleReader
	if channel.Owner == user {
		role = domain.RoleOwner
	}
	return s.subscriptions.Transact(ctx, schema.UserPartition(user), driver.Replace(schema.RefRow(channel.Ref()), driver.Upsert,
		driver.String(schema.PropName, channel.Name),
		driver.String(schema.PropRole, role),
		driver.String(schema.PropState, state),
		driver.Time(schema.PropSubscribedOn, domain.Now())))
}

// joinOwner subscribes the owner. An owner who has no room for another subscription
// can create channels all the same: then joinOwner only merges the gate.
func (s *Subscriptions) joinOwner(ctx context.Context, channel domain.Channel) error {
	var full *domain.InvalidError
	err := s.roomForSubscription(ctx, channel.Owner)
	switch {
	case errors.As(err, &full):
		return s.fence.TransactIfOpen(ctx, channel.Ref())
	case err != nil:
		return err
	}
	return s.join(ctx, channel, channel.Owner)
}
