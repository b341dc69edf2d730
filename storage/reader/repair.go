package reader

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// RepairSubscription repairs one user's row as readers do, and reports whether the subscription is valid.
func (s Steps) RepairSubscription(ctx context.Context, row Row, user domain.UserName) (valid bool, err error) {
	return s.repairSubscription(ctx, row, user)
}

// repairSubscription is the read repair of one user's row. It reports whether the
// subscription is valid: the channel is active, has the sub! row, and the user's row
// is not leaving. It removes a dangling row and completes a
// joining one. A row that has changed since it was read is left alone, since another
// request works on it.
//
// A user's row that says joined has no sub! row if the subscription ended while a request
// to join was slow with its last write.
func (s *Subscriptions) repairSubscription(ctx context.Context, row Row, user domain.UserName) (valid bool, err error) {
	if row.state == stateUnreadable {
		return false, nil
	}
	var channel fence.Row
	var there bool
	err = s.fence.Concurrently(ctx,
		func(ctx context.Context) (err error) {
			channel, err = s.fence.ReadIncarnation(ctx, row.Channel)
			return err
		},
		func(ctx context.Context) (err error) { there, err = s.hasSub(ctx, row.Channel, user); return err })
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return false, s.removeSubscription(ctx, row)
	case err != nil || !s.fence.Leaving.Readable(channel.Channel):
		return false, err
	case !there:
		return false, s.removeUnjoined(ctx, row, user)
	case row.state == schema.SubscriptionLeaving:
		return false, s.finishLeaving(ctx, row, user)
	case row.state == schema.SubscriptionJoining:
		//lab: Write into the user's own row that the user has joined.
		err := s.subscriptions.Transact(ctx, row.row.Partition,
			driver.Merge(row.row.Row, driver.Match(row.row.ETag), driver.String(schema.PropState, schema.SubscriptionJoined)))
		if optimistic.Raced(err) {
			err = nil
		}
		return true, err
	}
	return true, nil
}

// removeUnjoined deletes a user's row without a sub! row. The user may be about to
// subscribe. So it deletes the join! row first, without which that request cannot
// write the sub! row. A request that begins to join after that writes the user's row
// before the sub! row. Then the user's row has changed and is not deleted.
func (s *Subscriptions) removeUnjoined(ctx context.Context, row Row, user domain.UserName) error {
	switch err := s.leaveChannel(ctx, row.Channel, schema.JoinRow(user)); {
	case errors.Is(err, optimistic.ErrAgain):
		return nil // a request of the user works on them
	case err != nil:
		return err
	}
	there, err := s.hasSub(ctx, row.Channel, user)
	if err != nil || there {
		return err
	}
	return s.removeSubscription(ctx, row)
}

// finishLeaving completes a Delete that died. It must not end a subscription
// that began since. So it reads the channel's rows first, and then the user's row
// again. If that is still the version that says leaving, the channel's rows belong
// to the subscription that was being left: a request to join writes the user's row
// before the sub! row.
func (s *Subscriptions) finishLeaving(ctx context.Context, row Row, user domain.UserName) error {
	plan, err := s.planLeave(ctx, row.Channel, schema.JoinRow(user), schema.SubRow(user))
	if err != nil {
		return err
	}
	if same, err := optimistic.Unchanged(ctx, s.subscriptions, row.row); err != nil || !same {
		return err
	}
	switch err := s.executeLeave(ctx, row.Channel, plan); {
	case errors.Is(err, optimistic.ErrAgain):
		return nil // another request works on them
	case err != nil:
		return err
	}
	return s.removeSubscription(ctx, row)
}

// removeSubscription deletes a dangling row of a user in the version that was read.
func (s *Subscriptions) removeSubscription(ctx context.Context, row Row) error {
	//lab: Delete what looks like the rest of a subscription.
	err := s.subscriptions.Transact(ctx, row.row.Partition, driver.Delete(row.row.Row, driver.Match(row.row.ETag)))
	if optimistic.Raced(err) {
		return nil
	}
	return err
}
