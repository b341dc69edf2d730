package reader

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// List is ListAll, page by page. It reads and repairs up to limit
// rows. It leaves out dangling ones, so that a page can be short without being the
// last. A cursor of another list is an InvalidError on the field "after".
func (s *Subscriptions) List(ctx context.Context, user domain.UserName, after string, limit int) (found driver.ListPage[domain.Subscription], err error) {
	list := driver.List{Name: "subscriptions/" + schema.UserPartition(user), After: after, Limit: limit}
	//lab: List the subscriptions of the user.
	rows, next, err := list.Read(ctx, s.subscriptions, driver.Range{Partition: schema.UserPartition(user)})
	if err != nil {
		return found, err
	}
	found.Next = next
	found.Items, err = s.repairSubscriptions(ctx, decodeRows(rows), user)
	return found, err
}

// ListAll lists what a user subscribes to, in the order of channel keys. It
// repairs what a crash left incomplete. A subscription to a channel that is being
// deleted is left out.
func (s *Subscriptions) ListAll(ctx context.Context, user domain.UserName) ([]domain.Subscription, error) {
	rows, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	return s.repairSubscriptions(ctx, rows, user)
}

// Joined lists what a user's own rows say that the user subscribes to, in the order of channel keys, with
// one range read. Some of the channels may be gone.
func (s *Subscriptions) Joined(ctx context.Context, user domain.UserName) (joined []domain.Subscription, err error) {
	rows, err := s.readSubscriptions(ctx, user)
	for _, row := range rows {
		if row.state == schema.SubscriptionJoined {
			joined = append(joined, row.Subscription)
		}
	}
	return joined, err
}

// repairSubscriptions repairs a user's rows, several concurrently, and returns the valid
// subscriptions in the order of the rows.
func (s *Subscriptions) repairSubscriptions(ctx context.Context, rows []Row, user domain.UserName) ([]domain.Subscription, error) {
	return concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row Row) (domain.Subscription, bool, error) {
		valid, err := s.repairSubscription(ctx, row, user)
		return row.Subscription, valid, err
	})
}

// readSubscriptions reads all rows of a user, dangling ones too. With those, there
// can be more than domain.MaxSubscriptions.
func (s *Subscriptions) readSubscriptions(ctx context.Context, user domain.UserName) ([]Row, error) {
	//lab: List the subscriptions of the user.
	rows, err := s.subscriptions.First(ctx, 2*domain.MaxSubscriptions, driver.Range{Partition: schema.UserPartition(user)})
	if err != nil {
		return nil, fmt.Errorf("subscriptions of %s: %w", user, err)
	}
	return decodeRows(rows), nil
}

func decodeRows(rows []driver.Entity) []Row {
	decoded := make([]Row, len(rows))
	for i, row := range rows {
		decoded[i] = Decode(row)
	}
	return decoded
}

// maxCounted is the largest number that Count counts.
const maxCounted = 1000

// Count counts the subscribers of a channel, up to 1,000. It reports in more
// whether there are more than that.
func (s *Subscriptions) Count(ctx context.Context, ref domain.ChannelRef) (n int, more bool, err error) {
	in := schema.Sub.In(schema.ChannelPartition(ref.Key))
	in.KeysOnly = true
	//lab: Count the subscribers of the channel.
	rows, err := s.blogs.First(ctx, maxCounted+1, in)
	return min(len(rows), maxCounted), len(rows) > maxCounted, err
}
