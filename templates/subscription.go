package templates

import "time"

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []Subscription

// A Subscription is a channel that the reader subscribes to.
type Subscription struct {
	Channel     string
	Incarnation string
	// Own says that the reader owns the channel.
	Own          bool
	SubscribedOn time.Time
}
