package blog

import (
	"context"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// MaxNews is the greatest number of new posts that is counted in a channel.
const MaxNews = 21

// News counts the posts of a channel that are newer than a post, up to MaxNews. If the
// post is "", it counts them all. It reads keys alone, of one range of at most MaxNews rows.
func (s *Posts) News(ctx context.Context, ref domain.ChannelRef, than domain.BlogID) (int, error) {
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
