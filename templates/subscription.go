package templates

import "microblogging/domain"

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []domain.Subscription
