package reader

import (
	"context"
	"errors"
	"microblogging/domain"
	"microblogging/storage/page"
	"microblogging/storage/schema"
	"sync/atomic"
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
	var total atomic.Int64
	group, groupCtx := s.Group(ctx, newsBatch)
	for _, row := range rows {
		if row.state == stateUnreadable {
			continue
		}
		group.Go(func() error {
			n, err := s.subscribedNews(groupCtx, row.Channel, than)
			total.Add(int64(n))
			return err
		})
	}
	err = group.Wait()
	return int(total.Load()), next, err
}

// subscribedNews is News for a channel that may be gone, or be another one by now.
func (s *Readers) subscribedNews(ctx context.Context, ref domain.ChannelRef, than domain.BlogID) (int, error) {
	n, err := s.posts.News(ctx, ref, than)
	if err != nil || n == 0 {
		return 0, err
	}
	channel, err := s.ReadIncarnation(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) || err == nil && channel.State != domain.ChannelActive {
		return 0, nil
	}
	return n, err
}
