package templates

import "time"

// A Feed is a page of the posts of all channels that somebody subscribes to.
type Feed struct {
	// Posts are newest first.
	Posts []FeedPost
	// After is the continuation that this page was read from, empty on the
	// newest.
	After string
	// Next is the continuation of the page with older posts, empty on the oldest.
	Next string
	// Subscriptions is how many channels the reader subscribes to. It matters
	// only where there are no posts.
	Subscriptions int
}

func (v Feed) bylines(now time.Time) []byline {
	lines := make([]byline, len(v.Posts))
	for i := range v.Posts {
		p := &v.Posts[i]
		lines[i] = byline{post: &p.Post, now: now, channel: ChannelPath(p.Channel), name: p.Channel}
	}
	return lines
}

// A FeedPost is a post with the name of its channel.
type FeedPost struct {
	Post
	Channel string
}
