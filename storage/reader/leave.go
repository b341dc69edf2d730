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

// Delete ends a subscription. To unsubscribe again is no error. If another
// request of the user begins to join meanwhile, that one comes later and wins:
// otherwise the two could undo each other's steps without end.
func (s *Subscriptions) Delete(ctx context.Context, ref domain.ChannelRef, user domain.UserName) error {
	left := false
	return s.pause.Retry(ctx, func() error {
		//lab: Read the user's own row: how far has the subscription come?
		row, err := s.subscriptions.Find(ctx, schema.UserPartition(user), schema.RefRow(ref))
		state := row.Properties.String(schema.PropState)
		switch {
		case err != nil || !row.Found():
			return err // without the user's row, there is no sub! row
		case left && state == schema.SubscriptionJoining:
			return nil
		case state != schema.SubscriptionLeaving:
			//lab: Write into the user's own row that the user leaves.
			err := s.subscriptions.Transact(ctx, row.Partition,
				driver.Merge(row.Row, driver.Match(row.ETag), driver.String(schema.PropState, schema.SubscriptionLeaving)))
			if err == nil || optimistic.Raced(err) {
				return optimistic.ErrAgain // which reads the new ETag
			}
			return err
		}
		if err := s.leaveChannel(ctx, ref, schema.JoinRow(user), schema.SubRow(user)); err != nil {
			return err
		}
		left = true
		//lab: Delete the user's own row.
		return optimistic.Again(s.subscriptions.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag))))
	})
}

// leaveChannel deletes these rows of a user in the channel's partition, if they are
// there. It returns optimistic.ErrAgain if one of them changed meanwhile.
func (s *Subscriptions) leaveChannel(ctx context.Context, ref domain.ChannelRef, rows ...string) error {
	plan, err := s.planLeave(ctx, ref, rows...)
	if err != nil {
		return err
	}
	return s.executeLeave(ctx, ref, plan)
}

// planLeave reads these rows of a user in the channel's partition, and returns the
// operations that delete them in the versions read. So a delayed duplicate of the deletion
// undoes no subscription that begins later. The join! row must be read before the
// sub! row: otherwise a join! row could become a sub! row between the two reads, and
// neither would be seen.
func (s *Subscriptions) planLeave(ctx context.Context, ref domain.ChannelRef, rows ...string) ([]driver.Operation, error) {
	var plan []driver.Operation
	for _, key := range rows {
		//lab: Read a row of the subscriber in the channel.
		row, err := s.blogs.Find(ctx, schema.ChannelPartition(ref.Key), key)
		switch {
		case err != nil:
			return nil, err
		case row.Found():
			plan = append(plan, driver.Delete(key, driver.Match(row.ETag)))
		}
	}
	return plan, nil
}

// executeLeave executes a plan of planLeave. It merges the gate: if that is gone, the
// channel's deletion removes the rows. It returns optimistic.ErrAgain if one of them has
// changed since it was read.
func (s *Subscriptions) executeLeave(ctx context.Context, ref domain.ChannelRef, plan []driver.Operation) error {
	if len(plan) == 0 {
		return nil
	}
	//lab: Remove the subscriber's rows from the channel.
	err := s.fence.TransactIfOpen(ctx, ref, plan...)
	if errors.Is(err, fence.ErrGateGone) {
		return nil
	}
	return optimistic.Again(err)
}
