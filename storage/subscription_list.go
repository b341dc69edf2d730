package storage

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// SubscriptionPage is part of the list of a user's subscriptions.
type SubscriptionPage struct {
	Items []domain.Subscription
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// SubscriptionPage is Subscriptions, page by page. It reads and repairs up to limit
// rows. It leaves out dangling ones, so that a page can be short without being the
// last. A cursor of another list is an InvalidError on the field "after".
func (s *Store) SubscriptionPage(ctx context.Context, user domain.UserName, after string, limit int) (SubscriptionPage, error) {
	list, from := "subscriptions/"+schema.UserPartition(user), ""
	if after != "" {
		position, err := decodeCursor(list, after)
		if err != nil {
			return SubscriptionPage{}, err
		}
		from = schema.Successor(position)
	}
	rows, err := s.firstSubscriptions(ctx, user, from, limit+1)
	if err != nil {
		return SubscriptionPage{}, err
	}
	var next string
	if len(rows) > limit {
		rows = rows[:limit]
		next = encodeCursor(list, rows[limit-1].row.Row)
	}
	items, err := s.repairSubscriptions(ctx, rows, user)
	return SubscriptionPage{Items: items, Next: next}, err
}

const (
	// subscriptionFlight is the largest number of ranges that are read at once for one
	// request.
	subscriptionFlight = 16
	// pointFlight is the same for single rows. A page of a list has 20 rows, so that it
	// waits once.
	pointFlight = 32
)

// Subscriptions lists what a user subscribes to, in the order of channel keys. It
// repairs what a crash left incomplete. A subscription to a channel that is being
// deleted is left out.
func (s *Store) Subscriptions(ctx context.Context, user domain.UserName) ([]domain.Subscription, error) {
	rows, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	return s.repairSubscriptions(ctx, rows, user)
}

// repairSubscriptions repairs a user's rows, several at once, and returns the valid
// subscriptions in the order of the rows.
func (s *Store) repairSubscriptions(ctx context.Context, rows []subscription, user domain.UserName) ([]domain.Subscription, error) {
	valid := make([]bool, len(rows))
	group, groupCtx := s.Group(ctx, pointFlight)
	for i, row := range rows {
		group.Go(func() (err error) {
			_, valid[i], err = s.repairSubscription(groupCtx, row, user)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var list []domain.Subscription
	for i, row := range rows {
		if valid[i] {
			list = append(list, row.Subscription)
		}
	}
	return list, nil
}

// readSubscriptions reads all rows of a user, dangling ones too. With those, there
// can be more than domain.MaxSubscriptions.
func (s *Store) readSubscriptions(ctx context.Context, user domain.UserName) ([]subscription, error) {
	return s.firstSubscriptions(ctx, user, "", 2*domain.MaxSubscriptions)
}

// firstSubscriptions reads up to n rows of a user, from this row key on.
func (s *Store) firstSubscriptions(ctx context.Context, user domain.UserName, from string, n int) ([]subscription, error) {
	//lab: List the subscriptions of the user.
	rows, err := s.subscriptions.First(ctx, n, driver.Range{Partition: schema.UserPartition(user), From: from})
	if err != nil {
		return nil, fmt.Errorf("subscriptions of %s: %w", user, err)
	}
	list := make([]subscription, len(rows))
	for i, row := range rows {
		list[i] = decodeSubscription(row)
	}
	return list, nil
}

// maxCounted is the largest number that Subscribers counts.
const maxCounted = 1000

// Subscribers counts the subscribers of a channel, up to 1,000. It reports in more
// whether there are more than that.
func (s *Store) Subscribers(ctx context.Context, ref domain.ChannelRef) (n int, more bool, err error) {
	from, to := schema.Sub.Range()
	//lab: Count the subscribers of the channel.
	rows, err := s.blogs.First(ctx, maxCounted+1, driver.Range{
		Partition: schema.ChannelPartition(ref.Key), From: from, To: to, Paging: driver.Paging{KeysOnly: true}})
	return min(len(rows), maxCounted), len(rows) > maxCounted, err
}
