package templates

import "microblogging/domain"

// A Feed is a page of the posts of all channels that the reader subscribes to.
type Feed struct {
	// Posts are newest first.
	Posts []Post
	Part
	// Subscriptions is how many channels the reader subscribes to. Only a feed
	// without posts uses it.
	Subscriptions int
}

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []domain.Subscription
