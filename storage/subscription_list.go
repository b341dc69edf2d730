package storage

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// SubscriptionPage is part of the list of a user's subscriptions.
type SubscriptionPage struct {
	Items []domain.Subscription
	// Next continues the list; it is empty on the last page.
	Next string
}

// SubscriptionPage is Subscriptions, page by page: it reads and tidies up to
// limit of them, and so may return fewer on a page that is not the last. A
// cursor that is not of this user's list is an InvalidError.
func (s *Store) SubscriptionPage(ctx context.Context, user domain.UserName, after string, limit int) (SubscriptionPage, error) {
	list, from := "subscriptions/"+userPartition(user), ""
	if after != "" {
		position, err := decodeCursor(list, after)
		if err != nil {
			return SubscriptionPage{}, err
		}
		from = successor(position)
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
	items, err := s.standing(ctx, rows, user)
	return SubscriptionPage{Items: items, Next: next}, err
}

// subscriptionFlight bounds how many channels are read at once for one user.
const subscriptionFlight = 16

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
