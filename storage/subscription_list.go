package storage

import (
	"context"

	"microblogging/domain"
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
