package domain

import "time"

// MaxSubscriptions is how many channels one user can subscribe to. There is a
// limit because each page of the feed reads every one of them.
const MaxSubscriptions = 2000

// A Role is why a user subscribes.
type Role string

// The roles. A channel's owner is subscribed when the channel is created.
const (
	RoleOwner  Role = "owner"
	RoleReader Role = "reader"
)

// A Subscription is one user's subscription to one incarnation of a channel.
type Subscription struct {
	Channel      ChannelRef
	Name         ChannelName
	Role         Role
	SubscribedOn time.Time
}
