package templates

import "time"

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
