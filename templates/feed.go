package templates

import "microblogging/domain"

// A Feed is a page of the posts of all channels that the reader subscribes to.
type Feed struct {
	// Posts are newest first.
	Posts []FeedPost
	// After is the continuation token where this page starts. It is empty on the
	// first page.
	After string
	// Next is the continuation token of the page with older posts. It is empty on
	// the last.
	Next string
	// Subscriptions is how many channels the reader subscribes to. Only a feed
	// without posts uses it.
	Subscriptions int
}

func (v Feed) bylines(page Page) []byline {
	lines := make([]byline, len(v.Posts))
	for i := range v.Posts {
		p := &v.Posts[i]
		lines[i] = byline{
			post: &p.Post, channel: ChannelPath(p.Channel), name: p.Channel,
			level: 2, voter: page.User != "", here: page.here(),
		}
	}
	return lines
}

// A FeedPost is a post with the name of its channel.
type FeedPost struct {
	Post
	Channel domain.ChannelName
}

// newest is the id of the newest post, or empty.
func (v Feed) newest() domain.BlogID {
	if len(v.Posts) == 0 {
		return ""
	}
	return v.Posts[0].ID
}

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []domain.Subscription
