package reader

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/flight"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// newsBatch is the number of channels in which FeedNews looks at once.
const newsBatch = 8

// FeedNews counts the posts that are newer than a post in a few of the channels that a
// user subscribes to. Next is the cursor of the next few, and empty behind the last. So
// the cost of a call does not depend on how many channels there are: one range of 9 rows,
// and News of at most 8 channels. A cursor of another list is an InvalidError on the field
// "after".
func (s *Readers) FeedNews(ctx context.Context, user domain.UserName, than domain.BlogID, after string) (n int, next string, err error) {
	rows, next, err := s.subscriptionRows(ctx, user, page.List{Name: "news/" + schema.UserPartition(user), After: after, Limit: newsBatch})
	if err != nil {
		return 0, "", err
	}
	counts, err := flight.Gather(ctx, s.Reads, rows, func(ctx context.Context, row Row) (int, bool, error) {
		if row.state == stateUnreadable {
			return 0, false, nil
		}
		n, err := s.posts.News(ctx, row.Channel, than)
		if err != nil || n == 0 {
			return 0, false, err
		}
		valid, err := s.RepairSubscription(ctx, row, user)
		return n, valid, err
	})
	for _, count := range counts {
		n += count
	}
	return n, next, err
}
