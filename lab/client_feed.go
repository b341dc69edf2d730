package lab

import (
	"context"
	"strings"

	"microblogging/domain"
)

// The lengths of a page of a feed: one that reads the texts of all posts that it finds, and one
// that reads first which posts there are.
const (
	shortFeed = 10
	longFeed  = 100
)

// lookAtFeed looks at a page of the feed of a user, who subscribes to one channel.
func lookAtFeed(by domain.UserName, limit int) body {
	return func(ctx context.Context, c *Client) {
		c.Tell(Fact{Kind: Looking, Channel: domain.ChannelRef{Key: channelKey}})
		page, err := c.Store.Feed(ctx, by, "", limit)
		if err != nil {
			return
		}
		told := Fact{Kind: Fed, User: by}
		var ids []string
		for _, item := range page.Items {
			told.Channel, ids = item.Channel, append(ids, string(item.ID))
		}
		told.Page = strings.Join(ids, "\n")
		c.Tell(told)
	}
}

// feedOf is the posts that a feed has shown.
func feedOf(f Fact) []domain.BlogID {
	var posts []domain.BlogID
	for id := range strings.SplitSeq(f.Page, "\n") {
		if id != "" {
			posts = append(posts, domain.BlogID(id))
		}
	}
	return posts
}
