package templates

import "time"

// A Readership is how many subscribe to a channel, and whether the reader does.
// Whoever is signed in finds a form there that posts action=subscribe or
// action=unsubscribe to [ChannelPath].
type Readership struct {
	Subscribers int
	// More says that there are more than Subscribers.
	More bool
	// Subscribed says that the reader is one of them.
	Subscribed bool
	// Refusal says why the reader could not subscribe; empty for no reason.
	Refusal string
}

func (v Readership) words() string {
	n := count(int64(v.Subscribers))
	switch {
	case v.More:
		return n + "+ subscribers"
	case v.Subscribers == 1:
		return "1 subscriber"
	}
	return n + " subscribers"
}

// Subscriptions are what somebody subscribes to. Each posts action=unsubscribe
// and channel to [SubscriptionsPath].
type Subscriptions []Subscription

// A Subscription is a channel that somebody subscribes to.
type Subscription struct {
	Channel string
	// Own says that the channel is the reader's.
	Own          bool
	SubscribedOn time.Time
}

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
