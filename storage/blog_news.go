package storage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// MaxNews is the greatest number of new posts that is counted in a channel.
const MaxNews = 21

// newsBatch is the number of channels in which FeedNews looks at once.
const newsBatch = 8

// News counts the posts of a channel that are newer than a post, up to MaxNews. If the
// post is "", it counts them all. It reads keys alone, of one range of at most MaxNews rows.
func (s *Store) News(ctx context.Context, ref domain.ChannelRef, than domain.BlogID) (int, error) {
	to := schema.PrefixEnd(schema.Blog.Prefix())
	if than != "" {
		to = schema.BlogRow(than)
	}
	rows, err := s.blogs.First(ctx, MaxNews, driver.Range{
		Partition: schema.ChannelPartition(ref.Key), From: schema.Blog.Prefix(), To: to, Paging: driver.Paging{KeysOnly: true}})
	if err != nil {
		return 0, fmt.Errorf("new posts of channel %s: %w", ref.Key, err)
	}
	return len(rows), nil
}

// FeedNews counts the posts that are newer than a post in a few of the channels that a
// user subscribes to. Next is the cursor of the next few, and empty behind the last. So
// the cost of a call does not depend on how many channels there are: one range of 9 rows,
// and News of at most 8 channels. A cursor of another list is an InvalidError on the field
// "after".
func (s *Store) FeedNews(ctx context.Context, user domain.UserName, than domain.BlogID, after string) (n int, next string, err error) {
	list, from := "news/"+schema.UserPartition(user), ""
	if after != "" {
		position, err := decodeCursor(list, after)
		if err != nil {
			return 0, "", err
		}
		from = schema.Successor(position)
	}
	rows, err := s.firstSubscriptions(ctx, user, from, newsBatch+1)
	if err != nil {
		return 0, "", err
	}
	if len(rows) > newsBatch {
		rows = rows[:newsBatch]
		next = encodeCursor(list, rows[newsBatch-1].row.Row)
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
func (s *Store) subscribedNews(ctx context.Context, ref domain.ChannelRef, than domain.BlogID) (int, error) {
	n, err := s.News(ctx, ref, than)
	if err != nil || n == 0 {
		return 0, err
	}
	channel, err := s.readIncarnation(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) || err == nil && channel.State != domain.ChannelActive {
		return 0, nil
	}
	return n, err
}
