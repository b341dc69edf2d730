package reader

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A subscription is two rows in two tables. The user's row is in the user's
// partition of Subscriptions, by which a feed is read. The sub! row is in the
// channel's partition of Blogs, by which the channel's deletion finds the user's row.
// No transaction spans the two.
//
// The sub! row is the truth, since it is written behind the gate and swept with the
// channel. The user's row has a state, so that a subscription which a crash left
// incomplete is recognised:
//
//   - joining is written before the sub! row. If the request dies then, the user
//     is not subscribed.
//   - joined is written after the sub! row.
//   - leaving is written before the sub! row is deleted. If the request dies then,
//     the next reader finishes it.
//
// A user's row is dangling if it is leaving, or has no sub! row, or is of an
// incarnation that is gone. It does not count. A reader of the list removes dangling
// rows and completes joining ones: that is the read repair (repair.go).
//
// stateUnreadable is in no row. A row has it whose key leads to no channel: readers leave it out,
// and a check reports it.
const stateUnreadable = "unreadable"

// A Row is a Subscriptions row as it was read.
type Row struct {
	domain.Subscription
	state string
	row   driver.Entity
}

// roomForSubscription returns an InvalidError on the field "subscriptions" if the
// user has domain.MaxSubscriptions. Dangling rows do not count.
func (s *Subscriptions) roomForSubscription(ctx context.Context, user domain.UserName) error {
	//lab: Count the subscriptions of the user, who has room for so many.
	rows, err := s.subscriptions.First(ctx, domain.MaxSubscriptions, driver.Range{
		Partition: schema.UserPartition(user), Paging: driver.Paging{KeysOnly: true}})
	if err != nil || len(rows) < domain.MaxSubscriptions {
		return err
	}
	valid, err := s.ListAll(ctx, user)
	if err == nil && len(valid) >= domain.MaxSubscriptions {
		err = domain.Invalid("subscriptions", "are %d, and cannot be more", domain.MaxSubscriptions)
	}
	return err
}

// deleteSubscriptions deletes the users' rows of subscribers who are being swept. They go before
// the rows in the channel: they are in another table, and no sweep could find them once those rows are gone.
// Their keys carry the incarnation, so that even a delayed call deletes no row of another
// incarnation. A joiner who is slower than this writes the user's row again. That row is
// dangling, and is deleted when it is read.
func (s *Subscriptions) deleteSubscriptions(ctx context.Context, ref domain.ChannelRef, rows []driver.Entity) error {
	for _, row := range rows {
		user, subscribes := schema.SubscriberOf(row.Row)
		if !subscribes {
			continue
		}
		//lab: Delete the subscriber's own row.
		err := s.subscriptions.Transact(ctx, schema.UserPartition(user), driver.Delete(schema.RefRow(ref), driver.Exists))
		if err != nil && !errors.Is(err, domain.ErrNotFound) && !errors.Is(err, domain.ErrLimit) { // that names no user
			return err
		}
	}
	return nil
}

// Has reports whether the user's row says that the user subscribes to the
// channel. It is one read, and does not look for the sub! row.
func (s *Subscriptions) Has(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error) {
	//lab: Read the user's own row of the subscription.
	row, err := s.subscriptions.Find(ctx, schema.UserPartition(user), schema.RefRow(ref))
	return row.Properties.String(schema.PropState) == schema.SubscriptionJoined, err
}

// hasSub reports whether the channel has a sub! row of this incarnation for the user.
func (s *Subscriptions) hasSub(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error) {
	//lab: Look for the row that decides who is a subscriber.
	row, err := s.blogs.Find(ctx, schema.ChannelPartition(ref.Key), schema.SubRow(user))
	return row.Properties.String(schema.PropIncarnation) == string(ref.Incarnation), err
}

func Decode(row driver.Entity) Row {
	s := Row{
		Subscription: domain.Subscription{
			Channel:      schema.ParseRefRow(row.Row),
			Name:         domain.ChannelName(row.Properties.String(schema.PropName)),
			Role:         domain.Role(row.Properties.String(schema.PropRole)),
			SubscribedOn: row.Properties.Time(schema.PropSubscribedOn),
		},
		state: row.Properties.String(schema.PropState),
		row:   row,
	}
	if driver.CheckKey("row key", row.Row) != nil || !schema.LeadsToChannel(s.Channel) {
		s.state = stateUnreadable
	}
	return s
}
